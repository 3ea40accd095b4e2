package projector

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// firstStatusRepair is when a status is put right that somebody else has written.
const firstStatusRepair = time.Second

// repairBackoff spaces out the passes that put statuses right: each that follows soon after another waits twice as long.
// Whoever writes a status all the time is not fought with.
type repairBackoff struct {
	most  time.Duration
	clock func() time.Time

	mu   sync.Mutex
	last map[types.NamespacedName]repairDelay
}

type repairDelay struct {
	asked time.Time
	delay time.Duration
}

func newRepairBackoff(most time.Duration, clock func() time.Time) *repairBackoff {
	return &repairBackoff{most: most, clock: clock, last: map[types.NamespacedName]repairDelay{}}
}

// delay returns when the rule's status is to be put right, from now on.
func (c *repairBackoff) delay(rule types.NamespacedName) time.Duration {
	now := c.clock()
	c.mu.Lock()
	defer c.mu.Unlock()
	delay := firstStatusRepair
	if last, found := c.last[rule]; found && now.Sub(last.asked) < 4*last.delay {
		delay = max(firstStatusRepair, min(2*last.delay, c.most))
	}
	c.last[rule] = repairDelay{now, delay}
	return delay
}

func (c *repairBackoff) forget(rule types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.last, rule)
}
