package projector

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/watch"
)

// triggers remembers why a rule was woken and when that was noticed first, until a pass has dealt with it.
type triggers struct {
	mu      sync.Mutex
	pending map[types.NamespacedName]map[watch.Trigger]time.Time
}

func newTriggers() *triggers {
	return &triggers{pending: map[types.NamespacedName]map[watch.Trigger]time.Time{}}
}

// note adds a cause. Of several alike, the earliest counts.
func (t *triggers) note(rule types.NamespacedName, cause watch.Trigger, noticed time.Time) {
	t.restore(rule, map[watch.Trigger]time.Time{cause: noticed})
}

// take hands all causes of a rule to a pass.
func (t *triggers) take(rule types.NamespacedName) map[watch.Trigger]time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.pending[rule]
	delete(t.pending, rule)
	return taken
}

// restore gives back what a pass could not deal with.
func (t *triggers) restore(rule types.NamespacedName, taken map[watch.Trigger]time.Time) {
	if len(taken) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	pending := t.pending[rule]
	if pending == nil {
		pending = make(map[watch.Trigger]time.Time, len(taken))
		t.pending[rule] = pending
	}
	for cause, noticed := range taken {
		if known, found := pending[cause]; !found || noticed.Before(known) {
			pending[cause] = noticed
		}
	}
}
