package projector

import (
	"cmp"
	"context"
	"slices"
	"strings"
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
	if !m.staged.waits || len(m.outcomes) == 0 || len(m.staged.copies) == 0 && !m.examines() {
		return nil
	}
	defer m.member.Blockers.Prune(m.scope.key)
	r := m.newRolling(ctx)
	r.examine() //nolint:contextcheck // reads end with the step
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
	// copies are the numbers of the copies of each target: all of the rule's in one namespace, which are changed together. targetOf is the
	// target of each copy.
	copies   [][]int
	targetOf []int
	targets  []rollout.Target
	turn     rollout.Turn
	// unreported reports whether copies were written that have other fields than the status knows.
	unreported bool
	// ended reports whether there was nothing to write of those whose turn it was.
	ended bool
	// health is what is known of the copies that have to be healthy, by the index of their target.
	health map[int]memory.Health
	// doubts are the copies that the status reports as not healthy, if this process does not know them; hasRead reports whether any copy was read.
	doubts  doubts
	hasRead bool
	// examined are the targets that are examined, and isChanged reports whether one was changed in this rollout.
	examined  []int
	isChanged func(rollout.Target) bool
	// again is when to go on at the latest; zero: something has to happen first. pause is the backoff of writes that have failed.
	again, pause time.Duration
}

func (m *memberScope[O]) newRolling(ctx context.Context) *rolling[O] {
	spec, waveOf := m.scope.spec.Rollout, m.scope.adapter.Rollout.WaveOf(ctx, m.scope.rule)
	r := &rolling[O]{memberScope: m, targetOf: make([]int, len(m.outcomes)), strategy: rollout.Strategy{
		MinReady: spec.MinReady, MaxUnavailable: spec.MaxUnavailable, MaxFailures: spec.MaxFailures,
		Deadline: m.deadline(),
	}, doubts: m.scope.inDoubt()}
	content := m.presentContent() + m.scope.spec.NameExpression
	m.scope.remembered(func(r *memory.Rule) { r.Rollout.Of(content) })
	for i := range m.outcomes {
		if late, found := m.late[m.staged.set.target(m.outcomes[i].Place.NamespacedName)]; found && late.Err == nil && late.Content != "" {
			r.succeeded()
		}
		if i == 0 || m.wanted.Targets[i].Namespace != m.wanted.Targets[i-1].Namespace { // they are in the order of namespaces
			r.copies = append(r.copies, nil)
			r.targets = append(r.targets, rollout.Target{Wave: waveOf(m.wanted.Targets[i].Namespace)})
		}
		last := len(r.copies) - 1
		r.copies[last], r.targetOf[i] = append(r.copies[last], i), last
	}
	for target := range r.targets {
		r.look(target)
	}
	return r
}

// presentContent returns what all copies have in common of the content that is wanted: that of each source.
func (m *memberScope[O]) presentContent() string {
	if !m.scope.spec.Selects() {
		return m.wanted.Targets[0].Renderer.Content()
	}
	var contents []string
	for _, source := range m.scope.sources {
		if source.source != nil && source.renderer != nil {
			contents = append(contents, source.spec.Source.Name+" "+source.renderer.Content())
		}
	}
	return strings.Join(contents, "\n")
}

// look finds out what is known of a target. One of several copies that has failed, or waits, decides for all of them.
func (r *rolling[O]) look(number int) {
	target := &r.targets[number]
	wave := target.Wave
	*target = rollout.Target{Wave: wave, State: rollout.Left}
	for _, i := range r.copies[number] {
		of := rollout.Target{}
		r.lookAt(i, &of)
		target.Busy, target.Tried = target.Busy || of.Busy, target.Tried || of.Tried
		if of.Changed.After(target.Changed) {
			target.Changed = of.Changed
		}
		if precedence(of.State) > precedence(target.State) {
			target.State = of.State
		}
	}
}

// precedence returns which state of several copies is that of their namespace: the highest.
func precedence(state rollout.State) int {
	return slices.Index([]rollout.State{rollout.Left, rollout.Updated, rollout.Waiting, rollout.Failed}, state)
}

// lookAt finds out what is known of a copy.
func (r *rolling[O]) lookAt(i int, target *rollout.Target) {
	outcome := r.outcomes[i]
	known := r.staged.set.Cache.Known(outcome.Place.NamespacedName)
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
	return len(r.turn.Next) > 0 && !r.ended
}

// write writes copies, several at a time.
func (r *rolling[O]) write(targets []int) {
	var batch []int
	for _, target := range targets {
		for _, i := range r.copies[target] {
			if _, staged := r.staged.copies[i]; staged && !r.outcomes[i].IsInSync() && !r.outcomes[i].Pending {
				batch = append(batch, i)
			}
		}
	}
	if r.ended = len(batch) == 0; r.ended {
		return
	}
	step := r.beginStep()
	for _, i := range batch {
		held := r.outcomes[i]
		r.memberScope.write(step, r.setsOf[r.wanted.Targets[i].Source], r.wanted.Targets[i], r.staged.copies[i], func(outcome destination.Outcome) {
			outcome.Fields = cmp.Or(outcome.Fields, held.Fields)
			r.outcomes[i] = outcome
		})
	}
	step.wait()
	for _, target := range targets {
		r.look(target)
	}
	r.noteWritten(batch)
	for _, i := range batch {
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
	for i, desired := range r.staged.copies {
		if r.outcomes[i].IsInSync() {
			replaced = replaced || r.hasEarlierCopy(desired)
		}
		r.reportFailed(i)
	}
	for i, stays := range r.replaced.former {
		replaced = replaced || stays && r.health[i].Settled
	}
	r.watchHealth()
	if replaced {
		r.again = minRetryAfter
	}
	r.reportHealth()
	r.staged.failed = r.firstFailed()
	r.rollAgain = r.again
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
