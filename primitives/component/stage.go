package component

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/concepts"
)

// Stage writes the condition that follows from a convergence, or from its error, into the owner in memory. It does no
// I/O. The time of the last transition changes only when the status of the condition does.
//
// The reason is Healthy once every resource that counts is. Until then the first of Creating, Updating and Scaling to be
// reported stays; any other reason follows the most important status. When the grace period is over, the resources say
// whether that makes the component Degraded or Down.
//
// A message that is longer than the API server accepts is cut, and then ends with its size.
func (c *Component) Stage(owner OperatorCRD, result Convergence, err error) {
	status, message := c.outcome(c.GetCondition(owner), result, err)
	meta.SetStatusCondition(owner.GetStatusConditions(), metav1.Condition{
		Type:               string(c.conditionType),
		Status:             status.conditionStatus(),
		Reason:             string(status),
		Message:            bounded(message),
		ObservedGeneration: owner.GetGeneration(),
	})
}

func (c *Component) outcome(previous Condition, result Convergence, err error) (Status, string) {
	switch {
	case err != nil && result.verdict == verdictGateFailed:
		return FeatureGateError, err.Error()
	case err != nil && result.verdict == verdictPrerequisite:
		return PrerequisiteNotMet, err.Error()
	case err != nil:
		return Error, err.Error()
	}
	switch result.verdict {
	case verdictDisabled:
		return Disabled, "Component is disabled."
	case verdictPrerequisite:
		return PrerequisiteNotMet, result.reason
	case verdictSuspended:
		return c.suspensionSummary(result.Resources)
	default:
		return c.converged(previous, result)
	}
}

// converged is the state machine of a component that is neither disabled nor suspended.
func (c *Component) converged(previous Condition, result Convergence) (Status, string) {
	results := result.participating()
	status, message, healthy := summary(results)
	if healthy {
		return Healthy, "Component is healthy."
	}
	was := previous.ComponentStatus()
	if was.startsAfresh() {
		return status, message
	}
	if was.sticky() {
		status = was
	}
	if !c.graceExpired(previous) {
		return status, message
	}
	grace, err := graceSummary(results)
	switch {
	case err != nil:
		return Error, err.Error()
	case grace.Status == concepts.GraceStatusDown:
		return Down, "Component is down: " + grace.Reason
	case grace.Status == concepts.GraceStatusDegraded:
		return Degraded, "Component is degraded: " + grace.Reason
	default:
		logGraceInconsistency(result.log, results)
		return status, message
	}
}

func (c *Component) graceExpired(previous Condition) bool {
	return c.gracePeriod != 0 && c.now().Sub(previous.LastTransitionTime.Time) > c.gracePeriod
}

// summary returns the most important status of the results that are not healthy, and the reasons of all that are equally
// severe.
func summary(results []ResourceResult) (status Status, message string, healthy bool) {
	pending := slices.DeleteFunc(slices.Clone(results), func(r ResourceResult) bool { return r.Status.Healthy() })
	if len(pending) == 0 {
		return Healthy, "", true
	}
	status = pending[0].Status
	for _, result := range pending {
		if result.Status.Priority() > status.Priority() {
			status = result.Status
		}
	}
	return status, joinReasons(pending, func(r ResourceResult) bool { return r.Status.severity() == status.severity() }), false
}

// suspensionSummary returns the status that is furthest from the end, and the reasons of all results that share it.
func (c *Component) suspensionSummary(results []ResourceResult) (Status, string) {
	status := Suspended
	for _, result := range results {
		if suspensionPriority(result.Status) > suspensionPriority(status) {
			status = result.Status
		}
	}
	switch {
	case status == Suspended && c.suspendReason != "":
		return Suspended, "All resources are suspended: " + c.suspendReason
	case status == Suspended:
		return Suspended, "All resources are suspended."
	}
	return status, joinReasons(results, func(r ResourceResult) bool { return r.Status == status })
}

func suspensionPriority(status Status) int { return concepts.SuspensionStatus(status).Priority() }

func joinReasons(results []ResourceResult, counts func(ResourceResult) bool) string {
	var reasons []string
	for _, result := range results {
		if counts(result) && result.Reason != "" {
			reasons = append(reasons, result.Reason)
		}
	}
	return strings.Join(reasons, "; ")
}
