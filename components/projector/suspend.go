package projector

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
)

const (
	andSuspended  = "; the rule is suspended"
	keptSuspended = "copies are kept while the rule is suspended"
)

// isSuspended reports whether nothing is written or deleted for the rule. Deleting a suspended rule ends its copies all the same.
func (a *Adapter[O]) isSuspended(rule O) bool {
	return rule.GetDeletionTimestamp().IsZero() && a.Spec(rule).Suspended
}

// isSuspended reports whether this reconcile only finds out what it would do. It makes no request but reads, and one for the status. It deletes
// nothing, not even what the owner of the source does not consent to. Only a rule that has copies gets its finalizer and its record of kinds
// back if somebody has removed them.
func (s *scope[O]) isSuspended() bool { return s.adapter.isSuspended(s.rule) }

// hold returns the outcome of a request that is not made because the rule is suspended.
func (m *memberScope[O]) hold(job job) destination.Outcome {
	outcome := destination.Outcome{Place: job.set.Place(job.at), Pending: m.isUnderWay(job.set.target(job.at))}
	known, rule := job.set.Cache.Known(job.at), m.scope.id.Key()
	conflict, conflicts := m.member.Writer.KnownConflict(job.set.CopySet, job.at, job.content)
	switch original := m.scope.originalAt(job.set, job.at); {
	case outcome.Pending:
	case job.content != "" && original != "":
		outcome.Reason, outcome.Message = v1.ReasonDestinationConflict, original
	case job.ending:
	case job.content == "":
		outcome.Held = job.ends
		job.set.Cache.Remember(job.at, rule)
	case known.Owner != rule && conflicts:
		return conflict
	case known.Owner != rule || known.Terminating:
		outcome.Held = destination.Created
	case job.set.Cache.IsInSync(job.at, rule, job.wanted):
		outcome.Fields = job.set.Cache.Applied(job.at)
		outcome.Earlier = job.wanted != job.content && !known.HasContent(job.content)
	default:
		outcome.Held = destination.Updated
		if m.scope.spec.Rollout != nil && known.Fields == job.set.Cache.Applied(job.at) { // after a restart, the status tells that nobody has changed it
			outcome.Fields = known.Fields
		}
	}
	return outcome
}

// originalAt says that the place is that of a source or a layer of the rule, which is never written; empty: it is not.
func (s *scope[O]) originalAt(set copySet, at types.NamespacedName) string {
	switch {
	case s.isSourcePlace(set, at):
		return policy.DestinationIsSource
	case s.isAnySource(set, at):
		return policy.DestinationIsLayer
	default:
		return ""
	}
}

// alsoSuspended adds to what is said of copies that are in sync that nothing happens when that changes.
func alsoSuspended(message string) string {
	for _, suffix := range []string{andSuspended, " with its source", " with their source"} {
		message = strings.TrimSuffix(message, suffix)
	}
	return message + andSuspended
}

// mayHaveUnwanted reports whether there may be copies that no watch shows although the rule wants none: it is suspended, or was when its status was
// written last, or this process has not reconciled it before.
func (s *scope[O]) mayHaveUnwanted() bool {
	if s.whyNoCopy().IsZero() || s.isSuspended() {
		return !s.whyNoCopy().IsZero()
	}
	before := meta.FindStatusCondition(s.before.GetCommonStatus().Conditions, v1.ConditionSourceResolved)
	return s.first || before != nil && strings.Contains(before.Message, keptSuspended)
}

// mentionSuspension adds to conditions that are not True what would be done, or at least that nothing is.
func (s *scope[O]) mentionSuspension(conditions ...*metav1.Condition) {
	suffix := andSuspended
	if held := s.local.summarizeHeld(); !held.IsZero() {
		suffix = "; " + held.Message
	}
	for _, condition := range conditions {
		said := strings.Contains(condition.Message, "the rule is suspended") || strings.Contains(condition.Message, "suspended: would ")
		if condition.Status == metav1.ConditionFalse && !said {
			condition.Message += suffix
		}
	}
}

// isHeld reports whether the copy would be written or deleted if the rule were not suspended, or waits for its turn in a rollout.
func isHeld(outcome destination.Outcome) bool { return outcome.Held != destination.Unchanged }

// summarizeHeld says what would be done if the rule were not suspended, or that copies wait for their turn in a rollout.
func (m *memberScope[O]) summarizeHeld() policy.Problem {
	if m.staged.waits {
		return m.summarizeRollout()
	}
	var would []string
	for _, action := range []struct {
		destination.Action
		verb string
	}{{destination.Created, "create"}, {destination.Updated, "update"}, {destination.Deleted, "delete"}, {destination.Retained, "retain"}} {
		held := filter(func(o destination.Outcome) bool { return o.Held == action.Action }, m.outcomes, m.removals)
		if len(held) > 0 {
			would = append(would, fmt.Sprintf("%s %d", action.verb, len(held)))
		}
	}
	if len(would) == 0 {
		return policy.Problem{}
	}
	plan := "suspended: would " + strings.Join(would, ", ")
	if len(m.outcomes) == 0 { // no copy is wanted
		return policy.Problem{Reason: v1.ReasonSuspended, Message: plan}
	}
	inSync := "none is in sync"
	switch copies := count(destination.Outcome.IsInSync, m.outcomes); {
	case copies == 1:
		inSync = "1 is in sync"
	case copies > 1:
		inSync = strconv.Itoa(copies) + " are in sync"
	}
	return policy.Problem{Reason: v1.ReasonSuspended, Message: plan + "; " + inSync}
}
