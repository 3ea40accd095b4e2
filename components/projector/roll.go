package projector

import (
	"cmp"
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/rollout"
)

// roll writes the copies whose turn it is in the rollout, until it is nobody's turn. It comes after prune: no deletion waits for a rollout.
func (m *memberScope[O]) roll(ctx context.Context) error {
	if len(m.staged.copies) == 0 {
		return nil
	}
	defer m.member.Blockers.Prune(m.scope.key)
	r := m.newRolling(ctx)
	for r.decide(); r.mayGoOn(); r.decide() {
		r.write(r.turn.Next)
	}
	m.turn = &r.turn
	r.finish()
	return nil
}

// rolling is a rollout in one reconcile.
type rolling[O owner.Object] struct {
	*memberScope[O]
	strategy rollout.Strategy
	targets  []rollout.Target
	turn     rollout.Turn
	// unreported reports whether copies were written that have other fields than the status knows.
	unreported bool
	// again is when to go on at the latest; zero: something has to happen first. pause is the backoff of writes that have failed.
	again, pause time.Duration
}

func (m *memberScope[O]) newRolling(ctx context.Context) *rolling[O] {
	spec, waveOf := m.scope.spec.Rollout, m.scope.adapter.Rollout.WaveOf(ctx, m.scope.rule)
	r := &rolling[O]{memberScope: m, targets: make([]rollout.Target, len(m.outcomes)), strategy: rollout.Strategy{
		MinReady: spec.MinReady, MaxUnavailable: spec.MaxUnavailable, MaxFailures: spec.MaxFailures,
	}}
	content := m.wanted.Targets[0].Renderer.Content()
	m.scope.remembered(func(r *memory.Rule) { r.Rollout.Of(content) })
	for i := range m.outcomes {
		if late, found := m.late[m.staged.set.target(m.outcomes[i].Place.NamespacedName)]; found && late.Err == nil && late.Content != "" {
			r.succeeded()
		}
		r.targets[i].Wave = waveOf(m.wanted.Targets[i].Namespace)
		r.look(i)
	}
	return r
}

// look finds out what is known of a target.
func (r *rolling[O]) look(i int) {
	outcome, target := r.outcomes[i], &r.targets[i]
	known := r.staged.set.Cache.Known(outcome.Place.NamespacedName)
	target.Changed = time.Time{}
	if known.Owner == r.scope.id.Key() && known.ChangedAt > 0 {
		target.Changed = time.Unix(known.ChangedAt, 0)
	}
	failed, tried := outcome.Err != nil, true
	if isHeld(outcome) {
		failed, tried = r.hasFailed(i)
	}
	target.Busy, target.Tried = outcome.Pending, failed && tried
	switch {
	case r.isLeft(i):
		target.State = rollout.Left
	case outcome.IsInSync():
		target.State = rollout.Updated
	case failed:
		target.State = rollout.Failed
	default:
		target.State = rollout.Waiting
	}
}

// hasFailed reports whether the last try to write a copy that waits has failed, and whether it is not to be tried again yet.
func (r *rolling[O]) hasFailed(i int) (failed, tried bool) {
	desired := r.staged.copies[i]
	r.scope.remembered(func(remembered *memory.Rule) {
		_, failed = remembered.Failures.Last(r.staged.set.target(desired.At), desired.Rendered)
	})
	_, tried = r.heldWrite(r.writeOf(r.staged.set, r.wanted.Targets[i], desired))
	return failed, tried
}

// isLeft reports whether nothing can be changed in the namespace of a target, whatever its copy is to be.
func (m *memberScope[O]) isLeft(i int) bool {
	outcome, target := m.outcomes[i], m.wanted.Targets[i]
	return outcome.Skipped || target.Blocked != "" || target.NotPermitted != "" || outcome.Failed() && !outcome.Pending &&
		(outcome.Err == nil || outcome.Content == "" || apierrors.HasStatusCause(outcome.Err, corev1.NamespaceTerminatingCause))
}

func (r *rolling[O]) decide() {
	window := 0
	r.scope.remembered(func(remembered *memory.Rule) { window = remembered.Rollout.Window() })
	r.turn = r.strategy.Decide(r.targets, window, r.scope.clock())
	r.again = 0
	if !r.turn.Again.IsZero() {
		r.again = max(minRetryAfter, r.turn.Again.Sub(r.scope.clock()))
	}
	r.noteWave()
}

// mayGoOn reports whether further copies may be written in this reconcile. If copies have other fields than the status knows, it is written
// first: after a restart, it tells which of the copies that wait were changed by somebody else.
func (r *rolling[O]) mayGoOn() bool {
	if r.unreported && r.isStaged() || r.scope.run.active.Err() != nil {
		r.again = minRetryAfter
		return false
	}
	return len(r.turn.Next) > 0
}

// write writes copies, several at a time.
func (r *rolling[O]) write(batch []int) {
	step := r.beginStep()
	for _, i := range batch {
		held := r.outcomes[i]
		r.memberScope.write(step, r.staged.set, r.wanted.Targets[i], r.staged.copies[i], func(outcome destination.Outcome) {
			outcome.Fields = cmp.Or(outcome.Fields, held.Fields)
			r.outcomes[i] = outcome
		})
	}
	step.wait()
	for _, i := range batch {
		r.look(i)
		if fields := r.outcomes[i].Fields; r.outcomes[i].IsInSync() {
			r.unreported = r.unreported || len(r.staged.known) > 0 && !slices.Contains(r.staged.known, fields)
			r.succeeded()
		}
	}
}

func (r *rolling[O]) succeeded() {
	r.scope.remembered(func(remembered *memory.Rule) { remembered.Rollout.Succeeded() })
}

// finish lets the rule be reconciled again when the next copy has its turn, when one that has failed is to be tried again, or when a copy can be
// deleted that another one has replaced.
func (r *rolling[O]) finish() {
	replaced := false
	r.staged.failed = slices.IndexFunc(r.targets, func(t rollout.Target) bool { return t.State == rollout.Failed && t.Wave == r.turn.Wave })
	for i, desired := range r.staged.copies {
		if r.outcomes[i].IsInSync() {
			replaced = replaced || r.hasEarlierCopy(desired)
		}
		r.reportFailed(i)
	}
	if replaced {
		r.again = minRetryAfter
	}
	for i := range r.staged.copies {
		if outcome := &r.outcomes[i]; outcome.RetryAfter == 0 && outcome.Err == nil {
			outcome.RetryAfter = r.again
			return
		}
	}
}

// reportFailed reports a copy as failed whose last try has failed, unless it waits for an earlier wave. A write that failed without being refused is
// tried again after a backoff of its own: the queue's would delay the other copies, too.
func (r *rolling[O]) reportFailed(i int) {
	target, outcome := r.targets[i], r.outcomes[i]
	if target.State != rollout.Failed || target.Busy || !r.turn.Done && target.Wave > r.turn.Wave {
		return
	}
	desired := r.staged.copies[i]
	r.scope.remembered(func(remembered *memory.Rule) {
		if last, found := remembered.Failures.Last(r.staged.set.target(desired.At), desired.Rendered); found && isHeld(outcome) {
			last.Fields, last.RetryAfter = outcome.Fields, 0
			r.outcomes[i] = last
		}
	})
	if held, found := r.heldWrite(r.writeOf(r.staged.set, r.wanted.Targets[i], desired)); found {
		r.outcomes[i].RetryAfter = held.RetryAfter
	}
	if r.outcomes[i].RetryAfter == 0 {
		r.outcomes[i].RetryAfter = max(r.again, r.backoff())
	}
}

// backoff returns when copies are tried again whose writes have failed without being refused: for all of them the same.
func (r *rolling[O]) backoff() time.Duration {
	if r.pause == 0 {
		r.scope.remembered(func(remembered *memory.Rule) {
			r.pause = remembered.Rollout.Failures.Next(r.scope.clock(), r.scope.config.longestBackoff())
		})
	}
	return r.pause
}

// noteWave measures how long a wave takes whose change has begun in this process.
func (r *rolling[O]) noteWave() {
	now, took := r.scope.clock(), time.Duration(0)
	r.scope.remembered(func(remembered *memory.Rule) {
		took = remembered.Rollout.InWave(r.turn.Wave, r.turn.Done, len(r.turn.Next) > 0, now)
	})
	if took > 0 {
		r.scope.hub.Metrics.WaveFinished(r.scope.id.Kind.Name, took)
	}
}
