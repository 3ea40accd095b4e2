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
)

// conditions returns the three conditions that a pass ends with.
func (p *pass[O]) conditions(failure error) []metav1.Condition {
	resolved := condition(v1.ConditionSourceResolved, p.resolved, v1.ReasonResolved, p.kind.Message())
	written := condition(v1.ConditionDestinationWritten, p.fared(), v1.ReasonProjected, inStep(len(p.outcomes)))
	var stopped *halt
	if errors.As(failure, &stopped) {
		switch stopped.condition {
		case v1.ConditionSourceResolved:
			resolved = condition(v1.ConditionSourceResolved, stopped.verdict, "", "")
		case v1.ConditionDestinationWritten:
			written = condition(v1.ConditionDestinationWritten, stopped.verdict, "", "")
		}
	}
	if resolved.Status != metav1.ConditionTrue && written.Status == metav1.ConditionTrue {
		written.Status, written.Reason = metav1.ConditionUnknown, v1.ReasonSourceNotResolved
		written.Message = "the source is not resolved, so there is nothing to write"
	}
	ready := written
	if resolved.Status != metav1.ConditionTrue {
		ready = resolved
	}
	ready.Type = v1.ConditionReady
	return []metav1.Condition{resolved, written, ready}
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
	failed := slices.DeleteFunc(slices.Concat(p.outcomes, p.removals), func(o destination.Outcome) bool { return !o.Failed() })
	if len(failed) == 0 {
		return verdict{}
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

// tell writes the conditions and the rest of the status into the rule.
func (p *pass[O]) tell(conditions []metav1.Condition) {
	status := p.rule.GetCommonStatus()
	status.ObservedGeneration = p.rule.GetGeneration()
	for _, condition := range conditions {
		condition.ObservedGeneration = p.rule.GetGeneration()
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	for _, outcome := range p.outcomes {
		if !outcome.Failed() {
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

// said returns the reason of a condition before this pass. It serves the wording of messages, and no decision.
func (p *pass[O]) said(conditionType string) string {
	if before := meta.FindStatusCondition(*p.before.GetStatusConditions(), conditionType); before != nil {
		return before.Reason
	}
	return ""
}
