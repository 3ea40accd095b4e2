package projector

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/projector/internal/memory"
)

// recordMetrics counts the reconcile, and the copies of the rule.
func (s *scope[O]) recordMetrics(reported conditionSet) {
	kind := s.id.Kind.Name
	if s.local.outcomes != nil {
		s.countCopies()
	}
	if reported.written.Reason == v1.ReasonDestinationWriteInProgress { // the reconcile after this one has the result
		return
	}
	s.hub.Metrics.Reconciled(kind, resultOf(reported))
	if reported.ready.Status != metav1.ConditionTrue || !s.local.didSomething() {
		return
	}
	for trigger, noticed := range s.triggers {
		s.hub.Metrics.Propagated(kind, string(trigger), s.clock().Sub(noticed))
	}
}

// countCopies counts the copies of the rule in place of those that were counted before.
func (s *scope[O]) countCopies() {
	failed := filter(destination.Outcome.Failed, s.local.outcomes)
	pending := filter(func(o destination.Outcome) bool { return o.Pending && !o.Failed() }, s.local.outcomes)
	counted := memory.Copies{InSync: len(s.local.outcomes) - len(failed) - len(pending), Failed: len(failed)}
	var before memory.Copies
	s.remembered(func(r *memory.Rule) { before, r.Copies = r.Copies, counted })
	s.hub.Metrics.AddCopies(s.id.Kind.Name, counted.InSync-before.InSync, counted.Failed-before.Failed)
}

func resultOf(reported conditionSet) metrics.Result {
	switch {
	case reported.resolved.Status != metav1.ConditionTrue:
		return metrics.SourceError
	case reported.written.Status == metav1.ConditionTrue:
		return metrics.Success
	case reported.written.Reason == v1.ReasonDestinationConflict:
		return metrics.Conflict
	default:
		return metrics.DestinationError
	}
}
