package watch

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Pool opens one watch per kind for as long as somebody holds it. When the last holder lets go, the pool closes the watch, at once or
// after a while. K names holders.
type Pool[K comparable, W interface{ Close() }] struct {
	open    func(schema.GroupVersionResource) W
	idleTTL time.Duration

	mu      sync.Mutex
	watches map[schema.GroupVersionResource]*entry[K, W]
	holders map[K][]schema.GroupVersionResource
}

type entry[K comparable, W any] struct {
	watch   W
	holders map[K]struct{}
	idle    *idleTimer // set while nobody holds a watch that is kept
}

// NewPool returns an empty pool that opens watches with the function.
func NewPool[K comparable, W interface{ Close() }](open func(schema.GroupVersionResource) W) *Pool[K, W] {
	return &Pool[K, W]{
		open:    open,
		watches: map[schema.GroupVersionResource]*entry[K, W]{},
		holders: map[K][]schema.GroupVersionResource{},
	}
}

// Hold makes these kinds, and no others, the ones that the holder holds, and returns their watches in the order of the kinds.
func (p *Pool[K, W]) Hold(holder K, kinds ...schema.GroupVersionResource) []W {
	return p.exchange(holder, kinds, p.idleTTL)
}

// Holds reports whether the holder holds the kind.
func (p *Pool[K, W]) Holds(holder K, kind schema.GroupVersionResource) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.holders[holder], kind)
}

// Release lets go of everything that the holder holds, and closes at once what nobody else holds.
func (p *Pool[K, W]) Release(holder K) { p.exchange(holder, nil, 0) }

func (p *Pool[K, W]) exchange(holder K, kinds []schema.GroupVersionResource, idleTTL time.Duration) []W {
	p.mu.Lock()
	watches := make([]W, len(kinds))
	for i, kind := range kinds {
		found, open := p.watches[kind]
		if !open {
			found = &entry[K, W]{watch: p.open(kind), holders: map[K]struct{}{}}
			p.watches[kind] = found
		}
		watches[i] = found.watch
	}
	idle := p.release(holder)
	for _, kind := range kinds {
		p.watches[kind].acquire(holder)
	}
	p.holders[holder] = kinds
	if len(kinds) == 0 {
		delete(p.holders, holder)
	}
	closing := p.collect(append(idle, kinds...), idleTTL)
	p.mu.Unlock()
	for _, watch := range closing {
		watch.Close()
	}
	return watches
}

// Count returns how many watches are open, and of how many that are held the function returns an error.
func (p *Pool[K, W]) Count(failure func(W) error) (open, failing int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, entry := range p.watches {
		if len(entry.holders) > 0 && failure(entry.watch) != nil {
			failing++
		}
	}
	return len(p.watches), failing
}

func (p *Pool[K, W]) release(holder K) []schema.GroupVersionResource {
	kinds := p.holders[holder]
	for _, kind := range kinds {
		delete(p.watches[kind].holders, holder)
	}
	return kinds
}

// collect takes the watches that nobody holds out of the pool, or keeps them for a while.
func (p *Pool[K, W]) collect(kinds []schema.GroupVersionResource, idleTTL time.Duration) []W {
	var idle []W
	for _, kind := range kinds {
		if entry, open := p.watches[kind]; open && len(entry.holders) == 0 {
			if p.retire(kind, entry, idleTTL) {
				idle = append(idle, entry.watch)
			}
		}
	}
	return idle
}
