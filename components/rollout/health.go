package rollout

import (
	"slices"
	"time"
)

// Examined returns the targets whose copies have to show that they are healthy, by their index: those that were changed a short time ago, and
// those of the wave that goes on which were changed in this rollout. So a rollout that a copy holds stays held after a restart, however long ago
// the copy was changed. All other copies count as healthy: those of earlier waves have shown it.
//
// The times of the copies tell which of them were changed in this rollout: each copy that waits was changed before it.
//
// Example: the source is edited, a copy of the first wave is changed and breaks, and the source is reverted. The copy that was changed waits now.
// The others were changed before that one, so they need not show anything.
func (s Strategy) Examined(targets []Target, now time.Time) []int {
	if s.Deadline == 0 {
		return nil
	}
	isChanged, wave := InThisRollout(targets), goesOn(targets)
	var examined []int
	for i, t := range targets {
		if t.State == Left || t.Changed.IsZero() {
			continue
		}
		if t.Wave == wave && isChanged(t) || latest(s.deadlineOf(t), s.readyAt(t)).After(now) {
			examined = append(examined, i)
		}
	}
	return examined
}

// InThisRollout returns a function that reports whether a copy has the wanted content and was changed after all copies that wait. If none
// waits, each copy was that has the wanted content.
func InThisRollout(targets []Target) func(Target) bool {
	var began time.Time
	for _, t := range targets {
		if t.waits() {
			began = latest(began, t.Changed)
		}
	}
	return func(t Target) bool { return t.State == Updated && !t.Changed.Before(began) }
}

// goesOn returns the number of the wave in which the rollout goes on: the first one in which a copy waits, or the one before it if that has not
// begun. A wave begins with its first copy. If no copy waits, there is none.
func goesOn(targets []Target) int {
	first := slices.IndexFunc(targets, func(t Target) bool { return t.State == Waiting })
	if first < 0 {
		return -1
	}
	wave := targets[first].Wave
	for _, t := range targets {
		if t.State == Waiting {
			wave = min(wave, t.Wave)
		}
	}
	begins := slices.IndexFunc(targets, func(t Target) bool { return t.Wave == wave && t.State != Left })
	if targets[begins].State != Waiting {
		return wave
	}
	before := -1
	for _, t := range targets {
		if t.Wave < wave && t.State != Left {
			before = max(before, t.Wave)
		}
	}
	return before
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// deadlineOf returns when a copy has to be healthy.
func (s Strategy) deadlineOf(t Target) time.Time {
	return latest(t.Changed.Add(s.Deadline+precision), t.Until)
}

// DeadlineOf returns when a copy has to be healthy at the latest, and whether that is still to come.
func (s Strategy) DeadlineOf(t Target, now time.Time) (time.Time, bool) {
	deadline := s.deadlineOf(t)
	return deadline, deadline.After(now)
}

// ReadyAt returns when a copy has kept its content for as long as it has to; zero: it has.
func (s Strategy) ReadyAt(t Target) time.Time { return s.readyAt(t) }

// IsReadyAt reports whether a copy has kept its content for as long as it has to.
func (s Strategy) IsReadyAt(t Target, now time.Time) bool { return !s.readyAt(t).After(now) }

// HasMissedDeadline reports whether a copy that has the wanted content has not become healthy in time.
func (s Strategy) HasMissedDeadline(t Target, now time.Time) bool {
	return s.Deadline > 0 && t.Unhealthy && t.State == Updated && !s.deadlineOf(t).After(now)
}

// mayBecomeHealthy reports whether a copy is not healthy, and has time left to become so.
func (s Strategy) mayBecomeHealthy(t Target, now time.Time) bool {
	return s.Deadline > 0 && t.Unhealthy && t.State != Left && s.deadlineOf(t).After(now)
}
