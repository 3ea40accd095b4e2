package watch

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// WithIdleTTL makes the pool keep a watch that nobody holds any more for a while, unless it is released, and returns the pool.
func (p *Pool[W]) WithIdleTTL(while time.Duration) *Pool[W] {
	p.idleTTL = while
	return p
}

// Each calls the function with every open watch.
func (p *Pool[W]) Each(do func(schema.GroupVersionResource, W)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for kind, entry := range p.watches {
		do(kind, entry.watch)
	}
}

// retire takes the watch out of the pool and returns true, or keeps it for a while.
func (p *Pool[W]) retire(kind schema.GroupVersionResource, entry *entry[W], linger time.Duration) bool {
	if linger == 0 {
		delete(p.watches, kind)
		return true
	}
	if entry.idle == nil {
		stay := &idleTimer{}
		stay.Timer = time.AfterFunc(linger, func() { p.expire(kind, entry, stay) })
		entry.idle = stay
	}
	return false
}

// idleTimer is the time for which a watch that nobody holds is kept.
type idleTimer struct{ *time.Timer }

// expire takes the watch out of the pool when the stay is over, unless it was held meanwhile.
func (p *Pool[W]) expire(kind schema.GroupVersionResource, entry *entry[W], over *idleTimer) {
	p.mu.Lock()
	idle := entry.idle == over
	if idle {
		delete(p.watches, kind)
	}
	p.mu.Unlock()
	if idle {
		entry.watch.Close()
	}
}

// acquire ends the lingering of a watch that is held again.
func (e *entry[W]) acquire(rule RuleKey) {
	e.holders[rule] = struct{}{}
	if e.idle != nil {
		e.idle.Stop()
		e.idle = nil
	}
}
