package watch

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Pool opens one watch per kind for as long as a rule holds it. The last rule to let go closes it, unless it lingers.
type Pool[W interface{ Close() }] struct {
	open    func(schema.GroupVersionResource) W
	idleTTL time.Duration

	mu      sync.Mutex
	watches map[schema.GroupVersionResource]*entry[W]
	holders map[RuleKey][]schema.GroupVersionResource
}

type entry[W any] struct {
	watch   W
	holders map[RuleKey]struct{}
	idle    *idleTimer // set while nobody holds a watch that is kept
}

// NewPool returns an empty pool that opens watches with the function.
func NewPool[W interface{ Close() }](open func(schema.GroupVersionResource) W) *Pool[W] {
	return &Pool[W]{
		open:    open,
		watches: map[schema.GroupVersionResource]*entry[W]{},
		holders: map[RuleKey][]schema.GroupVersionResource{},
	}
}

// Hold makes these kinds, and no others, the ones that the rule holds, and returns their watches in the order of the kinds.
func (p *Pool[W]) Hold(rule RuleKey, kinds ...schema.GroupVersionResource) []W {
	return p.exchange(rule, kinds, p.idleTTL)
}

// Release lets go of everything that the rule holds, and closes at once what nobody else holds.
func (p *Pool[W]) Release(rule RuleKey) { p.exchange(rule, nil, 0) }

func (p *Pool[W]) exchange(rule RuleKey, kinds []schema.GroupVersionResource, linger time.Duration) []W {
	p.mu.Lock()
	watches := make([]W, len(kinds))
	for i, kind := range kinds {
		found, open := p.watches[kind]
		if !open {
			found = &entry[W]{watch: p.open(kind), holders: map[RuleKey]struct{}{}}
			p.watches[kind] = found
		}
		watches[i] = found.watch
	}
	idle := p.release(rule)
	for _, kind := range kinds {
		p.watches[kind].acquire(rule)
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

func (p *Pool[W]) release(rule RuleKey) []schema.GroupVersionResource {
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
			if p.retire(kind, entry, linger) {
				idle = append(idle, entry.watch)
			}
		}
	}
	return idle
}
