package projector

import (
	"context"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/owner"
)

// RolloutAdapter is what the projector has to know of a kind of rules whose copies can be changed one after the other.
type RolloutAdapter[O owner.Object] struct {
	// WaveOf returns a function that returns the number of the wave of a namespace, from 0.
	WaveOf func(context.Context, O) func(namespace string) int
	// Status returns the part of the status that is about the rollout, for reading and writing. Nil: the kind has no rollouts.
	Status func(O) **v1.RolloutStatus
	// NotHealthy returns how many copies the status reports as not healthy, whether it names them or not. Nil: none.
	NotHealthy func(O) int
	// IsProgress reports whether the two statuses of a rule tell of a rollout, and differ only in how far it has come.
	IsProgress func(before, after O) bool
}

// staging are the copies that wait for their turn in a rollout.
type staging struct {
	// waits reports whether the rule has a rollout and is not suspended.
	waits bool
	set   copySet
	known destination.FieldSets
	// copies are those that waited for their turn when the reconcile came to them, by the index of their target.
	copies map[int]destination.DesiredCopy
	// introduced reports whether every target has had a copy.
	introduced bool
	// failed is the index of the first copy that holds the rollout.
	failed int
	// earlier are the copies that have an earlier kind or name, by namespace; nil: they were not looked for.
	earlier map[string][]destination.Copy
}

// newStaging returns the staging of copies that may have these sets of fields. A rule without targets has one, too.
func (m *memberScope[O]) newStaging(known destination.FieldSets) staging {
	s := staging{known: known, copies: map[int]destination.DesiredCopy{}}
	if s.waits = m.scope.spec.Rollout != nil && !m.scope.isSuspended(); s.waits {
		s.introduced = m.scope.wasIntroduced()
	}
	return s
}

// wasIntroduced reports whether the status said that every target has had a copy.
func (s *scope[O]) wasIntroduced() bool {
	before := *s.adapter.Rollout.Status(s.before)
	return before != nil && before.Introduced
}

// awaitsTurn notes the copy if it waits for its turn in a rollout, and reports whether it does: it is as the rule has written it last and has
// other content, or it is missing where no target may lack it. What is missing or changed by somebody else is written at once.
//
// So is a copy that is to be opted out, a copy of another source, whose owner the rule asks no more, a copy that replaces one of these, and a copy whose
// content is another one only since the labels or annotations of its namespace have changed.
//
// Example: a namespace is created while a rollout is in its first wave. It has nothing to lose, and gets the present content.
func (m *memberScope[O]) awaitsTurn(i int, desired destination.DesiredCopy) bool {
	staged := &m.staged
	if !staged.waits {
		return false
	}
	target := staged.set.target(desired.At)
	if m.isUnderWay(target) || m.hasFailedLate(target, desired.Rendered) {
		return false
	}
	outcome, rule := destination.Outcome{Place: staged.set.Place(desired.At)}, m.scope.id.Key()
	if known := staged.set.Cache.Known(desired.At); known.Exists() && known.Owner == rule {
		concernsIt := desired.Before != "" && known.HasContent(desired.Before)
		if m.lacksConsent(i, desired, &known) || concernsIt || !staged.set.Cache.AwaitTurn(desired.At, rule, desired.Content, staged.known...) {
			return false
		}
		outcome.Held, outcome.Fields = destination.Updated, staged.set.Cache.Applied(desired.At)
	} else {
		_, conflicts := m.member.Writer.KnownConflict(staged.set.CopySet, desired.At, desired.Rendered)
		if conflicts || staged.introduced && !m.hasEarlierCopy(desired) {
			return false
		}
		outcome.Held = destination.Created
	}
	if m.replacesWithoutConsent(i, desired) {
		return false
	}
	staged.copies[i], m.outcomes[i] = desired, outcome
	return true
}

// lacksConsent reports whether the content that the copy of a target has is not consented to: it is of another source, whose owner the rule asks
// no more, it is to be opted out, or it has keys of a layer without consent.
func (m *memberScope[O]) lacksConsent(i int, desired destination.DesiredCopy, known *destination.State) bool {
	source := m.scope.sources[m.wanted.Targets[i].Source]
	return m.scope.asksNoMore(source, known) || desired.OptsOut() && !known.OptedOut || m.scope.lacksConsent(known)
}

// hasFailedLate reports whether a request of an earlier reconcile to write that content has failed since. It is reported, and not made again.
func (m *memberScope[O]) hasFailedLate(target lane.Target, content string) bool {
	late, found := m.late[target]
	return found && late.Err != nil && late.Content == content && late.User == m.staged.set.User
}

// hasEarlierCopy reports whether the namespace has a copy that the missing one is to replace. Then it has something to lose.
//
// Example: a user renames the copies of a rule with destination.name.
func (m *memberScope[O]) hasEarlierCopy(desired destination.DesiredCopy) bool {
	return len(m.earlierCopies(desired.At.Namespace)) > 0
}

// isStaged reports whether the rule has a rollout in which copies wait.
func (m *memberScope[O]) isStaged() bool {
	for i := range m.staged.copies {
		if isHeld(m.outcomes[i]) {
			return true
		}
	}
	return false
}

// isRollingOut reports whether the rule has a rollout in which copies wait, or have to become healthy.
func (m *memberScope[O]) isRollingOut() bool { return m.isStaged() || m.notHealthyYet > 0 }

// isIntroduced reports whether every target has had a copy, as far as one can be there, or a rollout is through.
func (m *memberScope[O]) isIntroduced() bool {
	if m.scope.wasIntroduced() || len(m.outcomes) == 0 {
		return m.scope.wasIntroduced()
	}
	if m.turn != nil && m.turn.Finished {
		return true
	}
	for i, outcome := range m.outcomes {
		known := m.staged.set.Cache.Known(outcome.Place.NamespacedName)
		if (!known.Exists() || known.Owner != m.scope.id.Key()) && !m.isLeft(i) {
			return false
		}
	}
	return true
}

// reportRollout sets what the status says of the rollout.
func (s *scope[O]) reportRollout() {
	if s.adapter.Rollout.Status == nil {
		return
	}
	switch status := s.adapter.Rollout.Status(s.rule); {
	case s.spec.Rollout == nil:
		*status = nil
	case s.local.outcomes == nil || s.isSuspended():
	case s.local.staged.waits || *status != nil:
		reported := v1.RolloutStatus{Introduced: s.local.isIntroduced()}
		switch before := *s.adapter.Rollout.Status(s.before); {
		case !s.local.isRollingOut():
		case s.local.turn != nil:
			reported.Wave = int32(s.local.turn.Wave + 1) //nolint:gosec // there are at most eleven
		case before != nil: // the reconcile did not come to the rollout
			reported.Wave = before.Wave
		}
		*status = &reported
	}
}
