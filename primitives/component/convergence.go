package component

import (
	"github.com/go-logr/logr"

	"projection.sh/operator/primitives/concepts"
)

// Convergence is what Converge found and did. Stage turns it into a condition.
type Convergence struct {
	// Resources are the results, in the order of registration, of the resources that were applied, read or blocked.
	// Resources behind a blocked one, or behind an error, have none; nor has a read-only one whose absence is ignored.
	Resources []ResourceResult

	verdict verdict
	reason  string
	log     logr.Logger
}

// ResourceResult is what became of one resource.
type ResourceResult struct {
	// Identity is the identity of the resource.
	Identity string
	// Operation is what was done to the object.
	Operation concepts.ConvergingOperation
	// Status is what the resource reports; GuardBlocked if it had to wait, and empty for one that has no status.
	Status Status
	// Reason explains Status.
	Reason string
	// Detail is what the Applier reported; nil if it reported nothing or was not called.
	Detail any

	registration registration
}

// Blocked reports whether the resource had to wait. Reason says for what.
func (r ResourceResult) Blocked() bool { return r.Status == GuardBlocked }

// participates reports whether the result counts for the condition.
func (r ResourceResult) participates() bool {
	if r.registration.suspend && r.Status == Suspended {
		return false
	}
	return r.Blocked() || r.Status != "" && !r.registration.auxiliary
}

// Blocked returns the result of the resource that the convergence stopped at.
func (c Convergence) Blocked() (ResourceResult, bool) {
	for _, result := range c.Resources {
		if result.Blocked() {
			return result, true
		}
	}
	return ResourceResult{}, false
}

// Resource returns the result of the resource of that identity.
func (c Convergence) Resource(identity string) (ResourceResult, bool) {
	for _, result := range c.Resources {
		if result.Identity == identity {
			return result, true
		}
	}
	return ResourceResult{}, false
}

// participating returns the results that count for the condition.
func (c Convergence) participating() []ResourceResult {
	results := make([]ResourceResult, 0, len(c.Resources))
	for _, result := range c.Resources {
		if result.participates() {
			results = append(results, result)
		}
	}
	return results
}

// verdict is the step at which Converge ended.
type verdict int

const (
	verdictConverged verdict = iota
	verdictGateFailed
	verdictDisabled
	verdictPrerequisite
	verdictSuspended
)
