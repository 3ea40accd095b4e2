package rollout

import (
	"slices"
	"time"
)

// Turn is whose turn it is.
type Turn struct {
	// Next are the targets to be written now, by their index, in that order. Copies of earlier waves that have failed are among them.
	Next []int
	// Again is when the next decision is due although nothing has happened; zero: something has to happen first.
	Again time.Time
	// Done reports whether no target waits for its turn, and all copies that have to be healthy are or have failed. Finished reports whether all
	// waves are finished. If the rollout is done, Next are copies that have failed.
	Done, Finished bool
	// Wave is the number of the first wave that is not finished, from 0; zero if all are.
	Wave int
	// Held reports whether more copies of the wave have failed than are allowed, so that nothing further is changed. Then Next are copies that
	// have failed.
	Held bool
	// Size, Failed and Allowed count targets of the wave: all that can be changed, those that have failed, and how many of these are allowed.
	Size, Failed, Allowed int
}

// Decide returns whose turn it is among the targets of a rule, which are in alphabetical order. A wave begins when the one before it is
// finished: all of its copies are updated, ready and healthy, except for those that may fail.
//
// The window bounds how many copies are tried at a time whose result is not known. It begins with 1 in each process and for each content, and
// grows by one with each success. So a rollout that was held stays held after a restart: the copies that have failed are the first to be
// tried again, and the first alone.
func (s Strategy) Decide(targets []Target, window int, now time.Time) Turn {
	deadline := s.nextDeadline(targets, now)
	if deadline.IsZero() && !slices.ContainsFunc(targets, Target.waits) {
		return s.atRest(targets, now)
	}
	var next []int
	again := deadline
	for number, members := range byWave(targets) {
		w := wave{Strategy: s, targets: targets, members: members, now: now}
		turn, finished := w.turn(window)
		next, again = append(next, turn.Next...), earlier(again, turn.Again)
		if finished {
			continue
		}
		turn.Next, turn.Again, turn.Wave = next, again, number
		if slices.ContainsFunc(targets, func(t Target) bool { return t.State == Waiting || t.State == Failed && t.Wave > number }) {
			return turn
		}
		if !deadline.IsZero() {
			turn.Held = false
			return turn
		}
		if len(next) > 0 || !slices.ContainsFunc(targets, Target.isDue) { // what was tried has a time of its own
			again = time.Time{}
		}
		return Turn{Next: next, Again: again, Done: true, Wave: number}
	}
	return Turn{Next: next, Again: again, Done: true, Finished: true}
}

// atRest returns the turn when no copy waits, and none that is not healthy has time left: all waves are finished in which no more copies have
// failed than may.
func (s Strategy) atRest(targets []Target, now time.Time) Turn {
	for number, members := range byWave(targets) {
		failed := 0
		for _, i := range members {
			if s.HasMissedDeadline(targets[i], now) {
				failed++
			}
		}
		if failed > s.allowed(len(members)) {
			return Turn{Done: true, Wave: number}
		}
	}
	return Turn{Done: true, Finished: true}
}

// nextDeadline returns when the next copy misses its deadline; zero: none can.
func (s Strategy) nextDeadline(targets []Target, now time.Time) (deadline time.Time) {
	for _, t := range targets {
		if s.mayBecomeHealthy(t, now) {
			deadline = earlier(deadline, s.deadlineOf(t))
		}
	}
	return deadline
}

// earlier returns the earlier of two times; zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) && !b.IsZero() {
		return b
	}
	return a
}

// byWave returns the indexes of the targets that can be changed, by wave.
func byWave(targets []Target) [][]int {
	var waves [][]int
	for i, t := range targets {
		for len(waves) <= t.Wave {
			waves = append(waves, nil)
		}
		if t.State != Left {
			waves[t.Wave] = append(waves[t.Wave], i)
		}
	}
	return waves
}

// wave is one wave at one time.
type wave struct {
	Strategy
	targets []Target
	members []int
	now     time.Time
}

// isUnavailable reports whether the copy is being written, or is not ready, with whatever content it has. One that has missed its deadline is not
// waited for any more.
func (w wave) isUnavailable(t Target) bool {
	return t.Busy || !w.HasMissedDeadline(t, w.now) && (w.readyAt(t).After(w.now) || w.mayBecomeHealthy(t, w.now))
}

// hasFailed reports whether the last try to write the copy has failed, or whether the copy has not become healthy in time.
func (w wave) hasFailed(t Target) bool { return t.State == Failed || w.HasMissedDeadline(t, w.now) }

// takesSlot reports whether the copy is available, so that one more is not if it is changed.
func (w wave) takesSlot(t Target) bool {
	now := w.now.Add(precision)
	return !w.readyAt(t).After(now) && !w.mayBecomeHealthy(t, now)
}

// turn returns whose turn it is in the wave, and whether the wave is finished.
func (w wave) turn(window int) (turn Turn, finished bool) {
	turn.Size = len(w.members)
	unavailable, changing, busy, waiting, due := 0, 0, 0, 0, 0
	for _, i := range w.members {
		t := w.targets[i]
		if w.hasFailed(t) {
			turn.Failed++
		}
		if t.State == Waiting {
			waiting++
		}
		if w.isUnavailable(t) {
			unavailable++
			if t.Busy || t.State == Updated {
				changing++
			}
		}
		if t.Busy {
			busy++
		}
		if t.isDue() {
			due++
		}
	}
	turn.Allowed = w.allowed(turn.Size)
	turn.Held = turn.Failed > turn.Allowed
	slots := w.slots(turn.Size)
	turn.Next = w.next(slots-unavailable, slots-changing, window-busy, turn.Held)
	turn.Again = w.again(due > len(turn.Next))
	return turn, !turn.Held && waiting == 0 && unavailable == 0
}

// next returns the copies to be written now: at most as many as may change. One that is available takes a slot, too. One that has failed before is
// not among those that the window bounds: its result is known.
//
// Example: one copy may be unavailable at a time. The first one was changed a moment ago, and somebody corrects the source. The first copy is
// changed again at once: it is unavailable anyway.
func (w wave) next(slots, change, window int, held bool) []int {
	var next []int
	for _, i := range w.members {
		t := w.targets[i]
		if change <= 0 || !t.isDue() || t.State == Waiting && (held || window <= 0) {
			continue
		}
		if w.takesSlot(t) {
			if slots <= 0 {
				continue
			}
			slots--
		}
		change--
		if t.State == Waiting {
			window--
		}
		next = append(next, i)
	}
	return next
}

// again returns when the next copy is ready if copies of the wave wait for that, and otherwise when all are, so that the next wave begins.
func (w wave) again(waiting bool) (at time.Time) {
	for _, i := range w.members {
		ready := w.readyAt(w.targets[i])
		if !ready.After(w.now) {
			continue
		}
		if at.IsZero() || waiting == ready.Before(at) {
			at = ready
		}
	}
	return at
}
