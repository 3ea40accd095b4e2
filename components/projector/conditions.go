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

// report is what a pass tells by the conditions.
type report struct {
	resolved, written, ready metav1.Condition
	// stalled tells that the rule is not ready until somebody acts.
	stalled bool
}

func (p *pass[O]) report(failure error) report {
	told := report{
		resolved: condition(v1.ConditionSourceResolved, p.resolved, v1.ReasonResolved, p.kind.Message()),
		written:  condition(v1.ConditionDestinationWritten, p.fared(), v1.ReasonProjected, inStep(len(p.outcomes))),
	}
	if stopped, ok := errors.AsType[*halt](failure); ok {
		switch stopped.condition {
		case v1.ConditionSourceResolved:
			told.resolved = condition(v1.ConditionSourceResolved, stopped.verdict, "", "")
		case v1.ConditionDestinationWritten:
			told.written = condition(v1.ConditionDestinationWritten, stopped.verdict, "", "")
		}
	}
	if told.written.Reason == v1.ReasonRuleInvalid {
		told.resolved = unasked(v1.ConditionSourceResolved, "the rule is not understood, so its source was not looked for")
	}
	if told.written.Reason == v1.ReasonInternalError && p.kind == (source.Kind{}) {
		told.resolved = unasked(v1.ConditionSourceResolved, "the source was not looked for")
	}
	if p.leaving() {
		told.resolved = unasked(v1.ConditionSourceResolved, "the rule is being deleted")
	}
	if told.resolved.Status != metav1.ConditionTrue && told.written.Status == metav1.ConditionTrue {
		told.written = unasked(v1.ConditionDestinationWritten, "the source is not resolved, so there is nothing to write")
	}
	told.ready = told.written
	if told.resolved.Status == metav1.ConditionFalse {
		told.ready = told.resolved
	}
	told.ready.Type = v1.ConditionReady
	told.stalled = told.ready.Status == metav1.ConditionFalse && p.stalls(failure)
	return told
}

// unasked is a condition that the pass had no reason to find out.
func unasked(conditionType, message string) metav1.Condition {
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionUnknown, Reason: v1.ReasonSourceNotResolved, Message: message}
}

// condition is True with the reason and message for success, or False with those of the verdict.
func condition(conditionType string, v verdict, reason, message string) metav1.Condition {
	if v.reason != "" {
		return metav1.Condition{Type: conditionType, Status: metav1.ConditionFalse, Reason: v.reason, Message: v.message}
	}
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

func inStep(copies int) string {
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

// fared sums up what became of the copies: a reason that all failures share, or the general one.
func (p *pass[O]) fared() verdict {
	failed := those(destination.Outcome.Failed, p.outcomes, p.removals)
	if len(failed) == 0 {
		return p.inProgress()
	}
	reason := failed[0].Reason
	if slices.ContainsFunc(failed, func(o destination.Outcome) bool { return o.Reason != reason }) {
		reason = v1.ReasonDestinationWriteFailed
	}
	if len(p.outcomes)+len(p.removals) == 1 {
		return verdict{reason, failed[0].Message}
	}
	var sentences []string
	for _, outcome := range failed[:min(len(failed), namedFailures)] {
		sentences = append(sentences, outcome.Target.String()+": "+outcome.Message)
	}
	if more := len(failed) - namedFailures; more > 0 {
		sentences = append(sentences, fmt.Sprintf("and %d more", more))
	}
	return verdict{reason, fmt.Sprintf("%d of %d failed: %s", len(failed), len(p.outcomes)+len(p.removals), strings.Join(sentences, "; "))}
}

// inProgress says which requests have not ended.
func (p *pass[O]) inProgress() verdict {
	pending := those(func(o destination.Outcome) bool { return o.Pending }, p.outcomes, p.removals)
	if len(pending) == 0 {
		for target := range p.underWay { // of a kind that the rule has copies of no more
			pending = append(pending, destination.Outcome{Target: target.NamespacedName})
		}
		slices.SortFunc(pending, func(a, b destination.Outcome) int { return strings.Compare(a.Target.String(), b.Target.String()) })
	}
	switch len(pending) {
	case 0:
		return verdict{}
	case 1:
		return verdict{v1.ReasonDestinationWriteInProgress, fmt.Sprintf(
			"the copy %s is not written or deleted yet; requests to its namespace take long, maybe for an admission webhook", pending[0].Target)}
	}
	return verdict{v1.ReasonDestinationWriteInProgress, fmt.Sprintf(
		"%d of %d copies are not written or deleted yet, the first is %s; requests to their namespaces take long, maybe for an admission webhook",
		len(pending), max(len(pending), len(p.outcomes)+len(p.removals)), pending[0].Target)}
}

// tell writes the conditions and the rest of the status into the rule.
func (p *pass[O]) tell(told report) {
	status := p.rule.GetCommonStatus()
	status.ObservedGeneration = p.rule.GetGeneration()
	conditions := []metav1.Condition{told.resolved, told.written, told.ready}
	if told.stalled {
		conditions = append(conditions, stalled(told.ready))
	} else {
		meta.RemoveStatusCondition(&status.Conditions, v1.ConditionStalled)
	}
	for _, condition := range conditions {
		condition.ObservedGeneration = p.rule.GetGeneration()
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	for _, outcome := range p.outcomes {
		if !outcome.Failed() && !outcome.Pending {
			status.DestinationName = outcome.Target.Name
		}
		if outcome.Fields != 0 {
			status.AppliedFields = outcome.Fields.String()
		}
	}
	if p.resolved.reason != "" && p.fared() == (verdict{}) {
		status.DestinationName = ""
	}
	p.rules.Report(p.rule, p.outcomes)
}
