package projector

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
)

// writtenCondition says whether the copies are in sync.
func (s *scope[O]) writtenCondition() metav1.Condition {
	reason, message := v1.ReasonProjected, "no copy is wanted"
	copies := len(s.local.outcomes) - count(isSkipped, s.local.outcomes)
	switch {
	case s.local.unmatched != "":
		reason, message = v1.ReasonNoMatchingNamespaces, s.local.unmatched
	case copies > 0 && s.isCreateOnly():
		message = s.local.existing()
	case copies == 1:
		message = "the copy is in sync with its source"
	case copies > 1:
		message = fmt.Sprintf("all %d copies are in sync with their source", copies)
	}
	message = s.local.withSkipped(copies, message)
	if s.isSuspended() {
		message = alsoSuspended(message)
	}
	return condition(v1.ConditionDestinationWritten, s.local.summarizeCopies(), reason, message)
}

// namedFailures is how many failures a message names that are not in status.failures; the others are counted.
const namedFailures = 3

// summarizeCopies sums up what became of the copies: a reason that all failures share, or the general one.
func (m *memberScope[O]) summarizeCopies() policy.Problem {
	failed, held := filter(destination.Outcome.Failed, m.outcomes, m.removals), m.summarizeHeld()
	switch {
	case held.Reason == v1.ReasonRolloutHeld: // it names the failure that holds it
		return held
	case len(failed) > 0:
		problem := m.summarizeFailures(failed)
		problem.Copies = held.Message
		return problem
	case !held.IsZero():
		return held
	default:
		return m.inProgress()
	}
}

// summarizeFailures returns a reason that all failures share, or the general one.
func (m *memberScope[O]) summarizeFailures(failed []destination.Outcome) policy.Problem {
	reason := failed[0].Reason
	if slices.ContainsFunc(failed, func(o destination.Outcome) bool { return o.Reason != reason }) {
		reason = v1.ReasonDestinationWriteFailed
	}
	isOnly := len(m.outcomes) == 1 && len(failed) == 1 && m.outcomes[0].Failed() // whatever was deleted besides
	if isOnly || len(m.outcomes)+len(m.removals) == 1 {
		return policy.Problem{Reason: reason, Message: m.describeFailure(failed[0])}
	}
	return policy.Problem{Reason: reason, Message: m.countFailures() + ": " + strings.Join(m.describeFailures(failed), "; ")}
}

// describeFailures names the failures that nothing else in the status does, and the first one of the others.
func (m *memberScope[O]) describeFailures(failed []destination.Outcome) []string {
	var sentences []string
	if copies := count(destination.Outcome.Failed, m.outcomes); copies > 1 && m.scope.adapter.Failures != nil {
		sentences = append(sentences, m.describeFailure(failed[0]), "status.failures has the others")
		failed = failed[copies:]
	}
	for _, outcome := range failed[:min(len(failed), namedFailures)] {
		sentences = append(sentences, m.describeFailure(outcome))
	}
	if more := len(failed) - namedFailures; more > 0 {
		sentences = append(sentences, fmt.Sprintf("and %d more", more))
	}
	return sentences
}

// describeFailure names the copy, and says what is wrong with it.
func (m *memberScope[O]) describeFailure(failed destination.Outcome) string {
	kind := cmp.Or(m.kindOf(failed.Place).Kind, m.scope.spec.KindOfCopies().Kind)
	if failed.Place.Name == "" {
		return kind + " in " + failed.Place.Namespace + ": " + failed.Message
	}
	return kind + " " + failed.Place.String() + ": " + failed.Message
}

// countFailures counts the copies that are not as they should be, and those that could not be deleted.
func (m *memberScope[O]) countFailures() string {
	var counts []string
	if failed := count(destination.Outcome.Failed, m.outcomes); failed > 0 {
		counts = append(counts, fmt.Sprintf("%d of %d copies failed", failed, len(m.outcomes)-count(isSkipped, m.outcomes)))
	}
	if failed := count(destination.Outcome.Failed, m.removals); failed > 0 {
		requests := "deletions"
		if len(m.scope.spec.Policy.Retain) > 0 {
			requests = "deletions or hand-overs"
		}
		counts = append(counts, fmt.Sprintf("%d of %d %s failed", failed, len(m.removals), requests))
	}
	return strings.Join(counts, " and ")
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
	if waiting := filter(func(o destination.Outcome) bool { return o.Waits }, pending); len(waiting) > 0 && len(waiting) == len(pending) {
		return policy.Problem{Reason: v1.ReasonDestinationWriteInProgress, Message: fmt.Sprintf(
			"%d of %d copies wait until another one is recreated, the first is %s", len(waiting), max(len(waiting), len(m.outcomes)), waiting[0].Place)}
	}
	switch len(pending) {
	case 0:
		return policy.Problem{}
	case 1:
		return policy.Problem{Reason: v1.ReasonDestinationWriteInProgress, Message: fmt.Sprintf(
			"the copy %s is not written or deleted yet; requests to its namespace take long, perhaps because of a slow admission webhook", pending[0].Place)}
	}
	return policy.Problem{Reason: v1.ReasonDestinationWriteInProgress, Message: fmt.Sprintf(
		"%d of %d copies are not written or deleted yet, the first is %s; requests to their namespaces take long, perhaps because of a slow admission webhook",
		len(pending), max(len(pending), len(m.outcomes)+len(m.removals)), pending[0].Place)}
}
