package freshness

import (
	"context"
	"sync/atomic"
)

// Outages counts the times that the API server could not be reached by the watches that fill a cache. It is safe for concurrent use.
type Outages struct{ count atomic.Uint64 }

// Note counts an outage.
func (o *Outages) Note() { o.count.Add(1) }

// CatchUp returns at once if there was no outage since the cache was compared last. Else it returns when the cache is as new as the API
// server.
//
// Example: a rule is deleted, and its copies with it. Then etcd is restored from a backup in which the rule and its copies exist. The watch
// on copies starts over before the one on rules does: copies of a rule that the cache does not contain would be deleted.
func (g *Gate) CatchUp(ctx context.Context) error {
	if g.isPassed() {
		return nil
	}
	g.turn.Lock()
	defer g.turn.Unlock()
	if g.isPassed() {
		return nil
	}
	return g.pass(ctx)
}

// isPassed reports whether the cache was compared after the last outage.
func (g *Gate) isPassed() bool { return g.passed.Load() == g.Outages.count.Load() }
