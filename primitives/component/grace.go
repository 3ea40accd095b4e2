package component

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"

	"projection.sh/operator/primitives/concepts"
)

// graceSummary returns the worst of what the resources say about not having converged in time, with the reasons of all
// that say it. A blocked resource is down, one that has converged is healthy; without any opinion the component is down.
func graceSummary(results []ResourceResult) (concepts.GraceStatusWithReason, error) {
	var worst concepts.GraceStatus
	var reasons []string
	for _, result := range results {
		opinion, ok, err := graceOf(result)
		if err != nil {
			return concepts.GraceStatusWithReason{}, err
		}
		if !ok {
			continue
		}
		if worst == "" || opinion.Status.Priority() > worst.Priority() {
			worst, reasons = opinion.Status, nil
		}
		if opinion.Status == worst && opinion.Reason != "" {
			reasons = append(reasons, opinion.Reason)
		}
	}
	if worst == "" {
		return concepts.GraceStatusWithReason{
			Status: concepts.GraceStatusDown,
			Reason: "Component failed to converge within grace period",
		}, nil
	}
	return concepts.GraceStatusWithReason{Status: worst, Reason: strings.Join(reasons, "; ")}, nil
}

// graceOf reports ok=false for a resource without an opinion.
func graceOf(result ResourceResult) (opinion concepts.GraceStatusWithReason, ok bool, err error) {
	if result.Blocked() {
		return concepts.GraceStatusWithReason{Status: concepts.GraceStatusDown, Reason: result.Reason}, true, nil
	}
	graceful, ok := result.registration.resource.(concepts.Graceful)
	if !ok {
		return opinion, false, nil
	}
	if result.Status.Healthy() {
		// Whoever wrote both handlers may have made one stricter than the other. The one for resources that have not
		// converged must not take down a component because of a resource that has.
		return concepts.GraceStatusWithReason{Status: concepts.GraceStatusHealthy}, true, nil
	}
	opinion, err = graceful.GraceStatus()
	if err != nil {
		err = fmt.Errorf("failed to evaluate grace status for resource %s: %w", result.Identity, err)
	}
	return opinion, true, err
}

func logGraceInconsistency(log logr.Logger, results []ResourceResult) {
	for _, result := range results {
		if result.Status.Healthy() || result.registration.suppressGraceWarning {
			continue
		}
		if _, graceful := result.registration.resource.(concepts.Graceful); graceful {
			log.Info("Grace inconsistency detected: resource grace status is Healthy but convergence status is non-healthy",
				"resource", result.Identity, "status", result.Status)
		}
	}
}

// GraceRemaining returns when to look at the component again to see its grace period end: strictly after the end, at
// most a second late, because the API server keeps transition times in whole seconds. It reports false when no grace
// period is running.
func (c *Component) GraceRemaining(owner OperatorCRD) (time.Duration, bool) {
	condition := meta.FindStatusCondition(*owner.GetStatusConditions(), string(c.conditionType))
	if c.gracePeriod == 0 || c.suspended || condition == nil || !Status(condition.Reason).graded() {
		return 0, false
	}
	end := condition.LastTransitionTime.Truncate(time.Second).Add(c.gracePeriod + time.Second)
	remaining := end.Sub(c.now())
	return remaining, remaining > 0
}

// EarliestGraceRemaining returns the smallest GraceRemaining of the components, and false if none has one.
func EarliestGraceRemaining(owner OperatorCRD, comps ...*Component) (time.Duration, bool) {
	earliest, found := time.Duration(0), false
	for _, comp := range comps {
		if remaining, ok := comp.GraceRemaining(owner); ok && (!found || remaining < earliest) {
			earliest, found = remaining, true
		}
	}
	return earliest, found
}

// graded reports whether the end of the grace period changes a condition of this reason.
func (s Status) graded() bool { return s.severity() > 1 }
