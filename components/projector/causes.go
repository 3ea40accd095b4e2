package projector

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/watch"
)

// causes remembers why a rule was woken and when that was noticed first, until a pass has dealt with it.
type causes struct {
	mu      sync.Mutex
	pending map[types.NamespacedName]map[watch.Cause]time.Time
}

func newCauses() *causes {
	return &causes{pending: map[types.NamespacedName]map[watch.Cause]time.Time{}}
}

// note adds a cause. Of several alike, the earliest counts.
func (c *causes) note(rule types.NamespacedName, cause watch.Cause, noticed time.Time) {
	c.restore(rule, map[watch.Cause]time.Time{cause: noticed})
}

// take hands all causes of a rule to a pass.
func (c *causes) take(rule types.NamespacedName) map[watch.Cause]time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.pending[rule]
	delete(c.pending, rule)
	return taken
}

// restore gives back what a pass could not deal with.
func (c *causes) restore(rule types.NamespacedName, taken map[watch.Cause]time.Time) {
	if len(taken) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	pending := c.pending[rule]
	if pending == nil {
		pending = make(map[watch.Cause]time.Time, len(taken))
		c.pending[rule] = pending
	}
	for cause, noticed := range taken {
		if known, found := pending[cause]; !found || noticed.Before(known) {
			pending[cause] = noticed
		}
	}
}
