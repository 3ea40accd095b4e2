package projector

import (
	"fmt"
	"slices"
	"strings"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
)

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
func (m *memberScope[O]) summarizeCopies() policy.Problem {
	failed := filter(destination.Outcome.Failed, m.outcomes, m.removals)
	if len(failed) == 0 {
		return m.inProgress()
	}
	reason := failed[0].Reason
	if slices.ContainsFunc(failed, func(o destination.Outcome) bool { return o.Reason != reason }) {
		reason = v1.ReasonDestinationWriteFailed
	}
	if len(m.outcomes)+len(m.removals) == 1 {
		return policy.Problem{Reason: reason, Message: failed[0].Message}
	}
	var sentences []string
	for _, outcome := range failed[:min(len(failed), namedFailures)] {
		sentences = append(sentences, outcome.Place.String()+": "+outcome.Message)
	}
	if more := len(failed) - namedFailures; more > 0 {
		sentences = append(sentences, fmt.Sprintf("and %d more", more))
	}
	return policy.Problem{Reason: reason, Message: fmt.Sprintf(
		"%d of %d failed: %s", len(failed), len(m.outcomes)+len(m.removals), strings.Join(sentences, "; "))}
}

// inProgress says which requests have not ended.
func (m *memberScope[O]) inProgress() policy.Problem {
	pending := filter(func(o destination.Outcome) bool { return o.Pending }, m.outcomes, m.removals)
	if len(pending) == 0 {
		for target := range m.underWay { // of a kind that the rule has copies of no more
			pending = append(pending, destination.Outcome{Place: destination.Place{NamespacedName: target.NamespacedName}})
		}
		slices.SortFunc(pending, func(a, b destination.Outcome) int { return strings.Compare(a.Place.String(), b.Place.String()) })
	}
	switch len(pending) {
	case 0:
		return policy.Problem{}
	case 1:
		return policy.Problem{Reason: v1.ReasonDestinationWriteInProgress, Message: fmt.Sprintf(
			"the copy %s is not written or deleted yet; requests to its namespace take long, maybe for an admission webhook", pending[0].Place)}
	}
	return policy.Problem{Reason: v1.ReasonDestinationWriteInProgress, Message: fmt.Sprintf(
		"%d of %d copies are not written or deleted yet, the first is %s; requests to their namespaces take long, maybe for an admission webhook",
		len(pending), max(len(pending), len(m.outcomes)+len(m.removals)), pending[0].Place)}
}
