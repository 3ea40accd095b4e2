package watch

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Linger makes the pool keep a watch that nobody holds any more for a while, unless it is released, and returns the pool.
func (p *Pool[W]) Linger(while time.Duration) *Pool[W] {
	p.linger = while
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

// dismiss takes the watch out of the pool and returns true, or keeps it for a while.
func (p *Pool[W]) dismiss(kind schema.GroupVersionResource, entry *held[W], linger time.Duration) bool {
	if linger == 0 {
		delete(p.watches, kind)
		return true
	}
	if entry.lingering == nil {
		stay := &stay{}
		stay.Timer = time.AfterFunc(linger, func() { p.expire(kind, entry, stay) })
		entry.lingering = stay
	}
	return false
}

// stay is the time for which a watch that nobody holds is kept.
type stay struct{ *time.Timer }

// expire takes the watch out of the pool when the stay is over, unless it was held meanwhile.
func (p *Pool[W]) expire(kind schema.GroupVersionResource, entry *held[W], over *stay) {
	p.mu.Lock()
	idle := entry.lingering == over
	if idle {
		delete(p.watches, kind)
	}
	p.mu.Unlock()
	if idle {
		entry.watch.Close()
	}
}

// take ends the lingering of a watch that is held again.
func (h *held[W]) take(rule Rule) {
	h.holders[rule] = struct{}{}
	if h.lingering != nil {
		h.lingering.Stop()
		h.lingering = nil
	}
}
