package projector

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/projector/internal/memory"
)

// recordMetrics counts the reconcile, the rule and its copies.
func (s *scope[O]) recordMetrics(reported conditionSet) {
	kind := s.id.Kind.Name
	isFirst := s.countRule(reported.ready)
	switch {
	case s.local.outcomes != nil:
		s.countCopies()
	case isFirst:
		s.countReported()
	}
	switch reported.written.Reason {
	case v1.ReasonDestinationWriteInProgress, v1.ReasonRolloutInProgress: // the reconcile after this one has the result
		return
	}
	s.hub.Metrics.Reconciled(kind, resultOf(reported))
	if reported.ready.Status != metav1.ConditionTrue || !s.local.didSomething() || len(s.local.staged.copies) > 0 {
		return
	}
	for trigger, noticed := range s.triggers {
		s.hub.Metrics.Propagated(kind, string(trigger), s.clock().Sub(noticed))
	}
}

// countCopies counts the copies of the rule in place of those that were counted before.
func (s *scope[O]) countCopies() {
	failed := filter(destination.Outcome.Failed, s.local.outcomes)
	counted := metrics.Copies{
		InSync: count(destination.Outcome.IsInSync, s.local.outcomes), Failed: len(failed), Held: count(isHeld, s.local.outcomes),
		Skipped: s.local.wanted.Skipped + count(isSkipped, s.local.outcomes),
	}
	for _, reported := range s.reportedByClusters() {
		counted = counted.Plus(s.adapter.Counted(reported))
	}
	s.replaceCopies(counted)
}

// countReported counts the copies of the rule as its status does: they are kept, and this process has not looked at them. The status of a rule that
// selects its sources counts namespaces.
//
// Example: a layer is missing, and the operator is started again.
func (s *scope[O]) countReported() {
	if s.adapter.Counted != nil && !s.spec.Selects() {
		s.replaceCopies(s.adapter.Counted(s.rule))
	}
}

func (s *scope[O]) replaceCopies(counted metrics.Copies) {
	var before metrics.Copies
	s.remembered(func(r *memory.Rule) { before, r.Copies = r.Copies, counted })
	s.hub.Metrics.ReplaceCopies(s.id.Kind.Name, counted, before)
}

// countRule counts the rule by its condition Ready, and reports whether this process has not counted it before.
func (s *scope[O]) countRule(ready metav1.Condition) (isFirst bool) {
	counted := metrics.Readiness{Status: string(ready.Status), Reason: ready.Reason}
	var before metrics.Readiness
	s.remembered(func(r *memory.Rule) { before, r.Ready = r.Ready, counted })
	s.hub.Metrics.ReplaceRule(s.id.Kind.Name, counted, before)
	return before == metrics.Readiness{}
}

// observeAdoption counts an attempt of the rule to adopt an object.
func (s *scope[O]) observeAdoption(result metrics.Adoption) {
	s.hub.Metrics.AdoptionEnded(s.id.Kind.Name, result)
}

func resultOf(reported conditionSet) metrics.Result {
	switch {
	case reported.resolved.Status != metav1.ConditionTrue:
		return metrics.SourceError
	case reported.written.Status == metav1.ConditionTrue, reported.written.Reason == v1.ReasonSuspended:
		return metrics.Success
	case reported.written.Reason == v1.ReasonDestinationConflict:
		return metrics.Conflict
	default:
		return metrics.DestinationError
	}
}
