package watch

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// WithIdleTTL makes the pool keep a watch that nobody holds any more for a while, unless it is released, and returns the pool.
func (p *Pool[K, W]) WithIdleTTL(while time.Duration) *Pool[K, W] {
	p.idleTTL = while
	return p
}

// Each calls the function with every open watch.
func (p *Pool[K, W]) Each(do func(schema.GroupVersionResource, W)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for kind, entry := range p.watches {
		do(kind, entry.watch)
	}
}

// retire takes the watch out of the pool and returns true, or keeps it for a while.
func (p *Pool[K, W]) retire(kind schema.GroupVersionResource, entry *entry[K, W], idleTTL time.Duration) bool {
	if idleTTL == 0 {
		delete(p.watches, kind)
		return true
	}
	if entry.idle == nil {
		timer := &idleTimer{}
		timer.Timer = time.AfterFunc(idleTTL, func() { p.expire(kind, entry, timer) })
		entry.idle = timer
	}
	return false
}

// idleTimer is the time for which a watch that nobody holds is kept.
type idleTimer struct{ *time.Timer }

// expire takes the watch out of the pool when its time has passed, unless it was held meanwhile.
func (p *Pool[K, W]) expire(kind schema.GroupVersionResource, entry *entry[K, W], over *idleTimer) {
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

// acquire keeps a watch open that is held again.
func (e *entry[K, W]) acquire(holder K) {
	e.holders[holder] = struct{}{}
	if e.idle != nil {
		e.idle.Stop()
		e.idle = nil
	}
}
