package projector

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// firstCorrection is when a status is put right that somebody else has written.
const firstCorrection = time.Second

// corrections spaces out the passes that put statuses right: each that follows soon after another waits twice as long.
// Whoever writes a status all the time is not fought with.
type corrections struct {
	most  time.Duration
	clock func() time.Time

	mu   sync.Mutex
	last map[types.NamespacedName]correction
}

type correction struct {
	asked time.Time
	delay time.Duration
}

func newCorrections(most time.Duration, clock func() time.Time) *corrections {
	return &corrections{most: most, clock: clock, last: map[types.NamespacedName]correction{}}
}

// delay returns when the rule's status is to be put right, from now on.
func (c *corrections) delay(rule types.NamespacedName) time.Duration {
	now := c.clock()
	c.mu.Lock()
	defer c.mu.Unlock()
	delay := firstCorrection
	if last, found := c.last[rule]; found && now.Sub(last.asked) < 4*last.delay {
		delay = max(firstCorrection, min(2*last.delay, c.most))
	}
	c.last[rule] = correction{now, delay}
	return delay
}

func (c *corrections) forget(rule types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.last, rule)
}
