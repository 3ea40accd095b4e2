package projector

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
)

// apply writes the copies that are not in sync, several at a time. A failure of one delays no other. It returns when all writes
// have ended or, if the reconcile has to give way, as soon as no further one is begun.
func (m *memberScope[O]) apply(context.Context) error {
	defer m.member.Blockers.Prune(m.scope.key)
	m.outcomes = make([]destination.Outcome, len(m.wanted.Targets))
	set, known := m.sets[0], destination.ParseFieldSets(m.scope.rule.GetCommonStatus().AppliedFields)
	m.staged = m.newStaging(known)
	if len(m.wanted.Targets) == 0 {
		return nil
	}
	m.forgetTargetTexts()
	set.Recreations = m.scope.recreations()
	m.setsOf = m.openSetsOf(set)
	m.staged.set = m.setsOf[m.wanted.Targets[0].Source]
	writes := m.beginStep()
	defer writes.wait()
	for _, i := range m.order() {
		target := m.wanted.Targets[i]
		set := m.setsOf[target.Source]
		if withheld, found := m.withheld(set, target); found {
			m.outcomes[i] = withheld
			continue
		}
		desired, err := m.desired(target)
		at := desired.At
		switch {
		case err != nil:
			m.outcomes[i] = set.RenderFailed(at, err)
		case m.awaitsTurn(i, desired): // roll writes it
		case !m.isUnderWay(set.target(at)) && !m.mustNameSource(set, target, at) && set.Cache.SetDesired(at, m.scope.id.Key(), desired.Content, known...):
			m.outcomes[i] = m.inSync(set, desired)
		default:
			m.write(writes, set, target, desired, func(outcome destination.Outcome) { m.outcomes[i] = outcome })
		}
	}
	return nil
}

// openSetsOf returns the set of copies for each source: what is asked right before each write depends on the source.
func (m *memberScope[O]) openSetsOf(set copySet) []copySet {
	sets := make([]copySet, len(m.scope.sources))
	for number, source := range m.scope.sources {
		sets[number] = set
		if source.source != nil {
			sets[number].Clean = source.cleanFields()
			sets[number].Withdrawn = m.withdrawn(m.scope.run.base, source)
		}
	}
	return sets
}

// withheld returns the outcome of a target that cannot have its copy, whatever would be in it, and reports whether it is one.
func (m *memberScope[O]) withheld(set copySet, target plan.Target) (destination.Outcome, bool) {
	at := target.At()
	switch {
	case target.NotPermitted != "":
		return destination.Outcome{Place: set.Place(at), Reason: v1.ReasonDestinationNotPermitted, Message: target.NotPermitted}, true
	case target.Blocked != "":
		m.expectDeletion(set, target)
		return destination.Outcome{Place: set.Place(at), Reason: v1.ReasonDestinationCreateFailed, Message: target.Blocked}, true
	case target.Unnamed != nil:
		failed := set.RenderFailed(at, target.Unnamed)
		if source := m.nameOf(target); source != "" {
			failed.Message = source + ": " + failed.Message
		}
		return failed, true
	}
	return destination.Outcome{}, false
}

// desired returns the copy of a target. An error concerns this target only.
func (m *memberScope[O]) desired(target plan.Target) (destination.DesiredCopy, error) {
	desired, err := target.Renderer.Copy(target.Place())
	return m.asUpdated(desired), err
}

// write writes a copy that is not in sync, unless it was refused and has to wait.
func (m *memberScope[O]) write(
	step requestStep, set copySet, target plan.Target, desired destination.DesiredCopy, record func(destination.Outcome),
) {
	if !target.Renderer.HasContent() {
		record(m.withoutContent(set, target, desired))
		return
	}
	blocked := m.member.Blockers.Finding(m.scope.key, set.Resource, desired.At) != nil // it also keeps what a request under way has found
	write := m.writeOf(set, target, desired)
	if held, found := m.heldWrite(write); found && (blocked || !held.Watched) {
		record(held)
		return
	}
	m.request(step, write, record, func(ctx context.Context) destination.Outcome {
		return m.member.Writer.Apply(ctx, set.CopySet, desired)
	})
}

// withoutContent returns the outcome of a copy whose content the reconcile does not hold. A later one reads it again and holds it, unless it is known
// what is in the way.
func (m *memberScope[O]) withoutContent(set copySet, target plan.Target, desired destination.DesiredCopy) destination.Outcome {
	write := m.writeOf(set, target, desired)
	if m.scope.isSuspended() {
		return m.hold(write)
	}
	if held, found := m.heldWrite(write); found && !held.Watched {
		return held
	}
	if conflict, found := m.member.Writer.KnownConflict(set.CopySet, desired.At, desired.Rendered); found {
		return conflict
	}
	if original := m.scope.originalAt(set, desired.At); original != "" {
		return destination.Outcome{Place: set.Place(desired.At), Reason: v1.ReasonDestinationConflict, Message: original}
	}
	return destination.Outcome{Place: set.Place(desired.At), Pending: true, RetryAfter: minRetryAfter}
}

// writeOf returns the request that writes a copy.
func (m *memberScope[O]) writeOf(set copySet, target plan.Target, desired destination.DesiredCopy) job {
	return job{set: set, at: desired.At, content: desired.Rendered, wanted: desired.Content, basis: m.basisOf(set, target, desired.At)}
}

// inSync returns the outcome of a copy that is in sync, with what a request that ended since the last reconcile has done.
func (m *memberScope[O]) inSync(set copySet, desired destination.DesiredCopy) destination.Outcome {
	at := desired.At
	outcome := destination.Outcome{Place: set.Place(at)}
	if left, found := m.late[set.target(at)]; found && !left.Failed() {
		outcome = left
		outcome.Pending = false
	}
	outcome.Fields = set.Cache.Applied(at)
	outcome.Earlier = desired.IsOnlyToExist() && !set.Cache.Known(at).HasContent(desired.Rendered)
	return outcome
}

// order is the order in which the targets have their turn: slow namespaces come last.
func (m *memberScope[O]) order() []int {
	return m.slowLast(slices.Collect(rotatedOrder(len(m.wanted.Targets))), func(i int) string { return m.wanted.Targets[i].Namespace })
}

// slowLast puts the indexes behind the others whose namespace is slow.
func (m *memberScope[O]) slowLast(indexes []int, namespace func(int) string) []int {
	fast, slow := make([]int, 0, len(indexes)), []int(nil)
	for _, i := range indexes {
		if m.member.Writes.IsSlow(namespace(i)) {
			slow = append(slow, i)
		} else {
			fast = append(fast, i)
		}
	}
	return append(fast, slow...)
}

// rotatedOrder is the order in which so many targets have their turn. It begins elsewhere in every reconcile: where slow targets
// use up the time of one reconcile, the next one reaches others.
func rotatedOrder(targets int) iter.Seq[int] {
	return func(yield func(int) bool) {
		first := rand.IntN(max(1, targets)) //nolint:gosec // no secret: whoever guesses it gains nothing
		for i := range targets {
			if !yield((first + i) % targets) {
				return
			}
		}
	}
}
