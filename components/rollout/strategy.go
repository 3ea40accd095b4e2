package rollout

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Strategy is how copies are changed one after the other.
type Strategy struct {
	// MinReady returns how long a changed copy of the wave has to keep its content before it is ready.
	MinReady func(wave int) time.Duration
	// MaxUnavailable is how many copies of a wave may be unavailable at a time: at least one. Nil: all of them.
	MaxUnavailable *intstr.IntOrString
	// MaxFailures is how many copies of a wave may be failed before the rollout is held. Nil: none.
	MaxFailures *intstr.IntOrString
	// Deadline is how long a changed copy may take to be healthy. Zero: copies need not be healthy.
	Deadline time.Duration
}

// precision is that of the times in managedFields. A copy that was changed in a second may have been changed at its end.
const precision = time.Second

// readyAt returns when a target is ready; zero: it is.
func (s Strategy) readyAt(t Target) time.Time {
	if minReady := s.MinReady(t.Wave); minReady > 0 && !t.Changed.IsZero() {
		return t.Changed.Add(minReady + precision)
	}
	return time.Time{}
}

// slots returns how many copies of a wave of that size may be unavailable at a time.
func (s Strategy) slots(size int) int {
	if s.MaxUnavailable == nil {
		return size
	}
	return max(1, scaled(s.MaxUnavailable, size))
}

// allowed returns how many copies of a wave of that size may be failed.
func (s Strategy) allowed(size int) int { return scaled(s.MaxFailures, size) }

// scaled returns the number, or the percentage of the size rounded down. Nil, and what is neither, count as 0.
func scaled(limit *intstr.IntOrString, size int) int {
	if limit == nil {
		return 0
	}
	value, err := intstr.GetScaledValueFromIntOrPercent(limit, size, false)
	if err != nil {
		return 0
	}
	return max(0, value)
}
