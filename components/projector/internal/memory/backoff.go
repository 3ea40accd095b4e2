package memory

import "time"

// firstDelay is the first delay.
const firstDelay = time.Second

// Backoff delays what is done again and again: each time that follows soon after another waits twice as long.
type Backoff struct {
	asked time.Time // when the last delay was asked for
	delay time.Duration
}

// Next returns the next delay, at most the given one.
// Example: somebody writes the status again and again. It is repaired after 1, 2, 4, 8, ... seconds.
func (b *Backoff) Next(now time.Time, most time.Duration) time.Duration {
	delay := firstDelay
	if b.delay > 0 && now.Sub(b.asked) < 4*b.delay {
		delay = max(firstDelay, min(2*b.delay, most))
	}
	*b = Backoff{asked: now, delay: delay}
	return delay
}
