package watch

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Pool opens one watch per kind for as long as a rule holds it. The last rule to let go closes it, unless it lingers.
type Pool[W interface{ Close() }] struct {
	open   func(schema.GroupVersionResource) W
	linger time.Duration

	mu      sync.Mutex
	watches map[schema.GroupVersionResource]*held[W]
	holders map[Rule][]schema.GroupVersionResource
}

type held[W any] struct {
	watch     W
	holders   map[Rule]struct{}
	lingering *stay // set while nobody holds a watch that is kept
}

// NewPool returns an empty pool that opens watches with the function.
func NewPool[W interface{ Close() }](open func(schema.GroupVersionResource) W) *Pool[W] {
	return &Pool[W]{
		open:    open,
		watches: map[schema.GroupVersionResource]*held[W]{},
		holders: map[Rule][]schema.GroupVersionResource{},
	}
}

// Hold makes these kinds, and no others, the ones that the rule holds, and returns their watches in the order of the kinds.
func (p *Pool[W]) Hold(rule Rule, kinds ...schema.GroupVersionResource) []W {
	return p.exchange(rule, kinds, p.linger)
}

// Release lets go of everything that the rule holds, and closes at once what nobody else holds.
func (p *Pool[W]) Release(rule Rule) { p.exchange(rule, nil, 0) }

func (p *Pool[W]) exchange(rule Rule, kinds []schema.GroupVersionResource, linger time.Duration) []W {
	p.mu.Lock()
	watches := make([]W, len(kinds))
	for i, kind := range kinds {
		entry, open := p.watches[kind]
		if !open {
			entry = &held[W]{watch: p.open(kind), holders: map[Rule]struct{}{}}
			p.watches[kind] = entry
		}
		watches[i] = entry.watch
	}
	idle := p.letGo(rule)
	for _, kind := range kinds {
		p.watches[kind].take(rule)
	}
	p.holders[rule] = kinds
	if len(kinds) == 0 {
		delete(p.holders, rule)
	}
	closing := p.collect(append(idle, kinds...), linger)
	p.mu.Unlock()
	for _, watch := range closing {
		watch.Close()
	}
	return watches
}

// Count returns how many watches are open, and of how many that are held the function returns an error.
func (p *Pool[W]) Count(failure func(W) error) (open, failing int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, entry := range p.watches {
		if len(entry.holders) > 0 && failure(entry.watch) != nil {
			failing++
		}
	}
	return len(p.watches), failing
}

// Len returns the number of open watches.
func (p *Pool[W]) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.watches)
}

func (p *Pool[W]) letGo(rule Rule) []schema.GroupVersionResource {
	kinds := p.holders[rule]
	for _, kind := range kinds {
		delete(p.watches[kind].holders, rule)
	}
	return kinds
}

// collect takes the watches that nobody holds out of the pool, or lets them linger.
func (p *Pool[W]) collect(kinds []schema.GroupVersionResource, linger time.Duration) []W {
	var idle []W
	for _, kind := range kinds {
		if entry, open := p.watches[kind]; open && len(entry.holders) == 0 {
			if p.dismiss(kind, entry, linger) {
				idle = append(idle, entry.watch)
			}
		}
	}
	return idle
}
