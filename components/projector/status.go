package projector

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/source"
)

// conditionSet are the conditions that a reconcile reports.
type conditionSet struct {
	resolved, written, ready metav1.Condition
	// stalled reports whether the rule is not ready until somebody acts.
	stalled bool
}

func (s *scope[O]) conditions(failure error) conditionSet {
	reported := conditionSet{
		resolved: condition(v1.ConditionSourceResolved, s.withRemovedCopies(s.whyNone()), v1.ReasonResolved, s.found()),
		written:  s.withClusters(s.writtenCondition()),
	}
	if stopped, ok := errors.AsType[*plan.Error](failure); ok {
		switch problem := s.withRevokedLayers(stopped.Problem); stopped.Condition {
		case v1.ConditionSourceResolved:
			reported.resolved = condition(v1.ConditionSourceResolved, s.withKeptCopies(problem), "", "")
		case v1.ConditionDestinationWritten:
			reported.written = condition(v1.ConditionDestinationWritten, problem, "", "")
		}
	}
	if why := s.whySourceUnknown(reported.written.Reason); why != "" {
		reported.resolved = unknownCondition(v1.ConditionSourceResolved, why)
	}
	if reported.resolved.Status != metav1.ConditionTrue && reported.written.Status == metav1.ConditionTrue && (!s.spec.Selects() || s.local.outcomes == nil) {
		reported.written = unknownCondition(v1.ConditionDestinationWritten,
			"nothing is written, because the source cannot be used; SourceResolved says why, and what became of the copies")
	}
	if s.isSuspended() {
		s.mentionSuspension(&reported.resolved, &reported.written)
	}
	reported.ready = reported.written
	if reported.resolved.Status == metav1.ConditionFalse {
		reported.ready = reported.resolved
	}
	reported.ready.Type = v1.ConditionReady
	reported.stalled = reported.ready.Status == metav1.ConditionFalse && s.isStalled(failure)
	return reported
}

// whySourceUnknown says why the reconcile has not looked for the source, if DestinationWritten has that reason; empty: it has.
func (s *scope[O]) whySourceUnknown(written string) string {
	switch unread := s.kind == (source.Kind{}); {
	case s.isDeleting():
		return "the rule is being deleted; DestinationWritten says what it waits for"
	case unread && written == v1.ReasonRuleInvalid:
		return "the rule has a field that this operator does not know, so the source was not read; DestinationWritten names the field"
	case unread && written == v1.ReasonInternalError:
		return "the source was not looked for"
	default:
		return ""
	}
}

// unknownCondition returns a condition of which the reconcile knows nothing.
func unknownCondition(conditionType, message string) metav1.Condition {
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionUnknown, Reason: v1.ReasonSourceNotResolved, Message: message}
}

// condition returns a condition that is False with the problem, or True with the reason and message if there is none.
func condition(conditionType string, v policy.Problem, reason, message string) metav1.Condition {
	if v.Reason != "" {
		return metav1.Condition{Type: conditionType, Status: metav1.ConditionFalse, Reason: v.Reason, Message: v.Sentence()}
	}
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

// setConditions sets the conditions and the rest of the status in the rule.
func (s *scope[O]) setConditions(reported conditionSet) {
	status := s.rule.GetCommonStatus()
	status.ObservedGeneration = s.rule.GetGeneration()
	conditions := []metav1.Condition{reported.resolved, reported.written, reported.ready}
	if reported.stalled {
		conditions = append(conditions, stalledCondition(reported.ready))
	} else {
		meta.RemoveStatusCondition(&status.Conditions, v1.ConditionStalled)
	}
	for _, condition := range conditions {
		condition.ObservedGeneration = s.rule.GetGeneration()
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	var applied destination.FieldSets
	for _, outcome := range s.local.outcomes {
		applied = applied.With(outcome.Fields)
	}
	if len(applied) > 0 {
		status.AppliedFields = applied.Format(s.hub.Schema.MaxAppliedFields())
	}
	s.reportNames()
	s.reportSources()
	s.reportRollout()
	s.adapter.Report(s.rule, s.byNamespace(s.local.outcomes), s.local.wanted.Skipped, s.hub.Schema.HasStatusField)
	s.reportClusters()
}

// writeStatus writes the status if it differs from the one that was read.
func (s *scope[O]) writeStatus(ctx context.Context) error {
	if s.branch != nil {
		s.reportBranch()
		return nil
	}
	status := memory.HashOf(s.adapter.Status(s.rule))
	if equality.Semantic.DeepEqual(s.adapter.Status(s.before), s.adapter.Status(s.rule)) {
		s.remembered(func(r *memory.Rule) { r.Status.Confirm(status) })
		return nil
	}
	s.remembered(func(r *memory.Rule) { r.Status.Record(status) })
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := s.hub.Client.Status().Update(limited, s.rule)
	switch {
	case err == nil:
		stored := memory.HashOf(s.adapter.Status(s.rule))
		s.remembered(func(r *memory.Rule) { r.Status.Record(stored) })
		s.rules.wrote(ctx, s.rule)
		return nil
	case apierr.IsObjectNotFound(err, s.rule.GetName()): // it was deleted
		return nil
	default:
		s.remembered(func(r *memory.Rule) { r.Status.Reset() })
		s.rules.markUncertain(s.rule)
		return err
	}
}
