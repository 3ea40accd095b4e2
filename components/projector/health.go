package projector

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/health"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/rollout"
)

const (
	// healthInterval is how often a copy is read at most whose health the rule waits for.
	healthInterval = 5 * time.Second
	// firstLook is how long after its change a copy is read first: its controller has to see it.
	firstLook = time.Second
	// patience is for how long reads of a copy that was never read may fail before it counts as not healthy.
	patience = time.Minute
)

// deadline returns how long a changed copy may take to be healthy; zero: copies need not be, or have no status.
func (m *memberScope[O]) deadline() time.Duration {
	if m.scope.spec.Rollout == nil || !health.HasStatus(m.scope.copyKind.GroupKind()) {
		return 0
	}
	return m.scope.spec.Rollout.Deadline()
}

// examines reports whether a copy may have to show that it is healthy although none waits: it was changed a short time ago, or has not been
// healthy since, it replaces another one, or the status says so of one that this process does not know.
func (m *memberScope[O]) examines() bool {
	deadline := m.deadline()
	remembered := 0
	m.scope.remembered(func(r *memory.Rule) {
		if deadline == 0 {
			r.Health = nil
		}
		remembered = len(r.Health)
	})
	if deadline == 0 || remembered > 0 || len(m.replaced.former) > 0 || m.scope.inDoubt().any() {
		return deadline > 0
	}
	longest := deadline
	for wave := range len(m.scope.spec.Rollout.Waves) + 1 {
		longest = max(longest, m.scope.spec.Rollout.MinReady(wave))
	}
	since := m.scope.clock().Add(-longest - 2*time.Second).Unix()
	recent := false
	m.staged.set.Cache.Select(m.scope.id.Key(), func(_ types.NamespacedName, copied *destination.State) bool {
		recent = recent || copied.ChangedAt >= since
		return false
	})
	return recent
}

// examine finds out which copies are healthy. A copy is read if it has changed since it was read last. Which copies were read is remembered;
// everything else follows from what the copies show.
func (r *rolling[O]) examine() {
	if r.strategy.Deadline == 0 {
		return
	}
	r.refresh()
	ctx, end := r.scope.run.stepContext()
	defer end()
	var reads errgroup.Group
	reads.SetLimit(r.scope.config.ReadConcurrency)
	looked := make([]*memory.Health, len(r.outcomes))
	for i, known := range r.health {
		if !known.Settled && r.isOutdated(i, known) && !known.Next.After(r.scope.clock()) {
			looked[i] = &known
			r.hasRead = true
			reads.Go(func() error {
				r.read(ctx, i, looked[i])
				return nil
			})
		}
	}
	_ = reads.Wait() // no read returns an error
	for i, known := range looked {
		if known != nil {
			r.health[i] = *known
		}
	}
	for number := range r.targets {
		r.judge(number)
	}
}

// refresh finds out which copies have to show that they are healthy, and what is remembered of them. Of the others, those stay that have not become
// healthy. What this reconcile has seen is kept, unless it has written the copy since.
func (r *rolling[O]) refresh() {
	seen, now := r.health, r.scope.clock()
	r.examined, r.isChanged = r.strategy.Examined(r.targets, now), rollout.InThisRollout(r.targets)
	r.scope.remembered(func(remembered *memory.Rule) {
		r.health = map[int]memory.Health{}
		for i, outcome := range r.outcomes {
			place := outcome.Place.NamespacedName
			known := r.staged.set.Cache.Known(place)
			before, found := seen[i]
			if !found {
				before, found = remembered.Health[place]
				found = found && outcome.Action == destination.Unchanged
			}
			found = found && before.IsOf(known)
			switch hasToShow := r.hasToShow(i, known); {
			case hasToShow && !found:
				r.health[i] = memory.NewHealth(known, firstRead(time.Unix(known.ChangedAt, 0), now), r.doubts.isReported(outcome))
			case hasToShow, found && !before.Settled && r.targets[r.targetOf[i]].State == rollout.Updated:
				r.health[i] = before
			}
		}
	})
}

// firstRead returns when a copy is read first. If the clock of the API server is ahead, that is soon.
func firstRead(changed, now time.Time) time.Time {
	if next := changed.Add(firstLook); next.Before(now.Add(healthInterval)) {
		return next
	}
	return now.Add(healthInterval)
}

// hasToShow reports whether a copy of the rule has to show that it is healthy: its target is examined, or it has the present content, and is in
// doubt or replaces another one.
func (r *rolling[O]) hasToShow(i int, known destination.State) bool {
	if known.Owner != r.scope.id.Key() || known.ChangedAt == 0 {
		return false
	}
	number := r.targetOf[i]
	target := r.targets[number]
	return r.isExamined(number) || target.State == rollout.Updated && (r.doubts.concern(r.outcomes[i], target) || r.replacesOther(i))
}

func (r *rolling[O]) isExamined(number int) bool {
	_, found := slices.BinarySearch(r.examined, number)
	return found
}

// isOutdated reports whether the copy has changed since it was read, or was not read yet.
func (r *rolling[O]) isOutdated(i int, known memory.Health) bool {
	return known.Version == "" || r.staged.set.Cache.IsNewer(r.outcomes[i].Place.NamespacedName, known.Version)
}

// read reads a copy. If that fails, what the copy has shown before counts.
func (r *rolling[O]) read(ctx context.Context, i int, known *memory.Health) {
	if ctx.Err() != nil {
		return
	}
	seen, err := r.member.Writer.Health(ctx, r.setsOf[r.wanted.Targets[i].Source].CopySet, r.outcomes[i].Place.NamespacedName)
	now := r.scope.clock()
	switch {
	case err != nil && ctx.Err() != nil: // the reconcile gives way
	case err != nil:
		if known.Tried.IsZero() {
			known.Tried = now
		}
		if known.Version == "" {
			known.Reason = "the operator cannot read its status: " + apierr.Message(err)
		}
		known.Delay = min(max(healthInterval, 2*known.Delay), r.scope.config.longestBackoff())
		known.Next = now.Add(known.Delay)
	default:
		known.Seen, known.ReadAt, known.Tried, known.Delay, known.Next = seen, now, time.Time{}, 0, r.nextRead(r.targets[r.targetOf[i]], now)
	}
}

// nextRead returns when a copy can be read again: at the latest at its deadline, so that it does not fail for what it showed before.
func (r *rolling[O]) nextRead(target rollout.Target, now time.Time) time.Time {
	if deadline, ahead := r.strategy.DeadlineOf(target, now); ahead && deadline.Before(now.Add(healthInterval)) {
		return deadline
	}
	return now.Add(healthInterval)
}

// judge says what is known of the health of a target: all copies there have to be healthy. What was changed before this rollout does not hold it.
func (r *rolling[O]) judge(number int) {
	target := &r.targets[number]
	target.Unhealthy, target.Until = false, time.Time{}
	isReady := r.strategy.IsReadyAt(*target, r.scope.clock())
	for _, i := range r.copies[number] {
		known, found := r.health[i]
		if !found {
			continue
		}
		known.Settled = known.Settled || known.Healthy && isReady && (r.strategy.IsReadyAt(*target, known.ReadAt) || !r.isOutdated(i, known))
		r.health[i] = known
		if until, unhealthy := r.verdictOn(known, isReady); unhealthy && (r.isExamined(number) || r.isChanged(*target)) {
			target.Unhealthy = true
			if until.After(target.Until) {
				target.Until = until
			}
		}
	}
}

// verdictOn reports whether a copy is not healthy, and until when it has time even if its deadline is over. One that is healthy when it is
// ready need not show anything any more. One that was not read since it may have changed, or that could not be read, has time until it was.
func (r *rolling[O]) verdictOn(known memory.Health, isReady bool) (until time.Time, unhealthy bool) {
	switch {
	case known.Settled, known.Healthy && !isReady:
		return time.Time{}, false
	case known.Healthy, known.Version == "" && known.Tried.IsZero():
		return known.Next.Add(firstLook), true
	case known.Version == "":
		return known.Tried.Add(patience), true
	default:
		return time.Time{}, true
	}
}

// noteWritten notes that copies were written, so that they are not healthy until they have shown it.
func (r *rolling[O]) noteWritten(copies []int) {
	if r.strategy.Deadline == 0 {
		return
	}
	for _, i := range copies {
		r.examined = append(r.examined, r.targetOf[i])
		delete(r.health, i)
		if r.outcomes[i].IsInSync() {
			r.health[i] = memory.Health{}
		}
	}
	slices.Sort(r.examined)
	for _, i := range copies {
		r.judge(r.targetOf[i])
	}
}

// watchHealth has the rule reconciled again when a copy that is not healthy has changed, and remembers what was seen. While a copy waits to be
// read again, other copies wait with it; and after each reconcile that has read some, they wait for the next one.
func (r *rolling[O]) watchHealth() {
	if r.strategy.Deadline == 0 {
		return
	}
	r.refresh()
	now, next := r.scope.clock(), time.Time{}
	remembered, followed := map[types.NamespacedName]memory.Health{}, map[types.NamespacedName]string{}
	for i, known := range r.health {
		at := r.outcomes[i].Place.NamespacedName
		remembered[at] = known
		switch {
		case known.Settled:
		case !r.isOutdated(i, known):
			followed[at] = known.Version
			if ready := r.strategy.ReadyAt(r.targets[r.targetOf[i]]); known.Healthy && ready.After(now) { // then it has shown it
				r.again = soonest(r.again, max(minRetryAfter, ready.Sub(now)))
			}
		case next.IsZero() || known.Next.Before(next):
			next = known.Next
		}
	}
	r.scope.remembered(func(rule *memory.Rule) { rule.Health, rule.Examined = remembered, true })
	if r.hasRead && len(followed) > 0 { // one reconcile serves many copies that become healthy one after the other
		next = now
	}
	if !next.IsZero() {
		followed = nil
	}
	if r.staged.set.Cache.Follow(r.scope.id.Key(), followed) {
		next = now.Add(healthInterval)
	}
	if !next.IsZero() {
		r.again = soonest(r.again, max(minRetryAfter, next.Sub(now)))
	}
}

// soonest returns the shorter of two times; zero is none.
func soonest(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
