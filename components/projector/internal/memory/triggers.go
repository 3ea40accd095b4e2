package memory

import (
	"time"

	"projection.sh/operator/components/watch"
)

// Triggers are why a rule was enqueued, and when each of these events was noticed first.
type Triggers map[watch.Trigger]time.Time

// Add adds triggers. Of two alike, the earlier one counts.
func (t *Triggers) Add(added Triggers) {
	if *t == nil && len(added) > 0 {
		*t = make(Triggers, len(added))
	}
	for trigger, noticed := range added {
		if known, found := (*t)[trigger]; !found || noticed.Before(known) {
			(*t)[trigger] = noticed
		}
	}
}

// Take removes all triggers and returns them.
func (t *Triggers) Take() Triggers {
	taken := *t
	*t = nil
	return taken
}
