package projector

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/source"
)

// conditionSet is what a pass tells by the conditions.
type conditionSet struct {
	resolved, written, ready metav1.Condition
	// stalled tells that the rule is not ready until somebody acts.
	stalled bool
}

func (s *scope[O]) conditions(failure error) conditionSet {
	told := conditionSet{
		resolved: condition(v1.ConditionSourceResolved, s.problem, v1.ReasonResolved, s.kind.Message()),
		written:  condition(v1.ConditionDestinationWritten, s.summarizeCopies(), v1.ReasonProjected, syncedMessage(len(s.outcomes))),
	}
	if stopped, ok := errors.AsType[*stepError](failure); ok {
		switch stopped.condition {
		case v1.ConditionSourceResolved:
			told.resolved = condition(v1.ConditionSourceResolved, stopped.problem, "", "")
		case v1.ConditionDestinationWritten:
			told.written = condition(v1.ConditionDestinationWritten, stopped.problem, "", "")
		}
	}
	if told.written.Reason == v1.ReasonRuleInvalid {
		told.resolved = unknownCondition(v1.ConditionSourceResolved, "the rule is not understood, so its source was not looked for")
	}
	if told.written.Reason == v1.ReasonInternalError && s.kind == (source.Kind{}) {
		told.resolved = unknownCondition(v1.ConditionSourceResolved, "the source was not looked for")
	}
	if s.isDeleting() {
		told.resolved = unknownCondition(v1.ConditionSourceResolved, "the rule is being deleted")
	}
	if told.resolved.Status != metav1.ConditionTrue && told.written.Status == metav1.ConditionTrue {
		told.written = unknownCondition(v1.ConditionDestinationWritten, "the source is not resolved, so there is nothing to write")
	}
	told.ready = told.written
	if told.resolved.Status == metav1.ConditionFalse {
		told.ready = told.resolved
	}
	told.ready.Type = v1.ConditionReady
	told.stalled = told.ready.Status == metav1.ConditionFalse && s.isStalled(failure)
	return told
}

// unknownCondition is a condition that the pass had no reason to find out.
func unknownCondition(conditionType, message string) metav1.Condition {
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionUnknown, Reason: v1.ReasonSourceNotResolved, Message: message}
}

// condition is True with the reason and message for success, or False with those of the verdict.
func condition(conditionType string, v problem, reason, message string) metav1.Condition {
	if v.Reason != "" {
		return metav1.Condition{Type: conditionType, Status: metav1.ConditionFalse, Reason: v.Reason, Message: v.Message}
	}
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

func syncedMessage(copies int) string {
	switch copies {
	case 0:
		return "no namespace is to have a copy"
	case 1:
		return "the copy is in step with its source"
	}
	return fmt.Sprintf("all %d copies are in step with their source", copies)
}

// namedFailures is how many failures a message names; the others are counted.
const namedFailures = 3

// summarizeCopies sums up what became of the copies: a reason that all failures share, or the general one.
func (s *scope[O]) summarizeCopies() problem {
	failed := filter(destination.Outcome.Failed, s.outcomes, s.removals)
	if len(failed) == 0 {
		return s.inProgress()
	}
	reason := failed[0].Reason
	if slices.ContainsFunc(failed, func(o destination.Outcome) bool { return o.Reason != reason }) {
		reason = v1.ReasonDestinationWriteFailed
	}
	if len(s.outcomes)+len(s.removals) == 1 {
		return problem{reason, failed[0].Message}
	}
	var sentences []string
	for _, outcome := range failed[:min(len(failed), namedFailures)] {
		sentences = append(sentences, outcome.Target.String()+": "+outcome.Message)
	}
	if more := len(failed) - namedFailures; more > 0 {
		sentences = append(sentences, fmt.Sprintf("and %d more", more))
	}
	return problem{reason, fmt.Sprintf("%d of %d failed: %s", len(failed), len(s.outcomes)+len(s.removals), strings.Join(sentences, "; "))}
}

// inProgress says which requests have not ended.
func (s *scope[O]) inProgress() problem {
	pending := filter(func(o destination.Outcome) bool { return o.Pending }, s.outcomes, s.removals)
	if len(pending) == 0 {
		for target := range s.underWay { // of a kind that the rule has copies of no more
			pending = append(pending, destination.Outcome{Target: target.NamespacedName})
		}
		slices.SortFunc(pending, func(a, b destination.Outcome) int { return strings.Compare(a.Target.String(), b.Target.String()) })
	}
	switch len(pending) {
	case 0:
		return problem{}
	case 1:
		return problem{v1.ReasonDestinationWriteInProgress, fmt.Sprintf(
			"the copy %s is not written or deleted yet; requests to its namespace take long, maybe for an admission webhook", pending[0].Target)}
	}
	return problem{v1.ReasonDestinationWriteInProgress, fmt.Sprintf(
		"%d of %d copies are not written or deleted yet, the first is %s; requests to their namespaces take long, maybe for an admission webhook",
		len(pending), max(len(pending), len(s.outcomes)+len(s.removals)), pending[0].Target)}
}

// setConditions writes the conditions and the rest of the status into the rule.
func (s *scope[O]) setConditions(told conditionSet) {
	status := s.rule.GetCommonStatus()
	status.ObservedGeneration = s.rule.GetGeneration()
	conditions := []metav1.Condition{told.resolved, told.written, told.ready}
	if told.stalled {
		conditions = append(conditions, stalledCondition(told.ready))
	} else {
		meta.RemoveStatusCondition(&status.Conditions, v1.ConditionStalled)
	}
	for _, condition := range conditions {
		condition.ObservedGeneration = s.rule.GetGeneration()
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	for _, outcome := range s.outcomes {
		if !outcome.Failed() && !outcome.Pending {
			status.DestinationName = outcome.Target.Name
		}
		if outcome.Fields != 0 {
			status.AppliedFields = outcome.Fields.String()
		}
	}
	if s.problem.Reason != "" && s.summarizeCopies() == (problem{}) {
		status.DestinationName = ""
	}
	s.adapter.Report(s.rule, s.outcomes)
}
