package lane

import (
	"container/list"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/watch"
)

// Limits are the bounds of Lanes.
type Limits struct {
	// PerLane is how many requests may be under way in one lane.
	PerLane int
	// PerRule is how many requests of one rule may be under way that are not slow. So many requests to lanes that are known as
	// slow may be under way besides.
	PerRule int
	// Total is how many requests may be under way that are not slow. As many again may be slow.
	Total int
	// Slow is how long a request may take before it counts as slow.
	Slow time.Duration
	// Wait is how long a request waits for a slot of its lane before it is given up. Its rule is then enqueued when a slot is
	// free. A request does not wait in a lane that is slow.
	Wait time.Duration
	// Remember is for how long a lane counts as slow after its last request.
	Remember time.Duration
}

// Target is the object that a request is about.
type Target struct {
	Resource schema.GroupResource
	types.NamespacedName
	// Sender is the namespace of the service account in whose name the request is made; empty: it is the operator's own.
	Sender string
}

// ByNamespace is the name of the lane of all targets in the namespace.
func ByNamespace(target Target) string { return target.Namespace }

// ByKind is the name of the lane of all targets of the kind in the namespace. Each sender has a lane of its own.
//
// Example: the API server throttles the requests of a tenant's service account. Others read the same sources without delay.
func ByKind(target Target) string {
	return target.Resource.String() + "/" + target.Namespace + "/" + target.Sender
}

// Lanes run requests, each in the lane of its target. R is the result of a request. They are safe for concurrent use.
type Lanes[R any] struct {
	limits     Limits
	nameOf     func(Target) string
	enqueue    func(watch.RuleKey)
	fast, slow *semaphore.Weighted

	mu    sync.Mutex
	lanes map[string]*lane
	rules map[watch.RuleKey]*rule[R]
}

// lane is what is known of the requests to one namespace, or for one kind in it.
type lane struct {
	free    int        // slots
	slow    bool       // see IsSlow
	idle    time.Time  // since when nobody uses it
	waiting *list.List // of *waiter, for a slot, first come first served
	// enqueues are the rules among those who wait that are to be enqueued.
	enqueues map[watch.RuleKey]struct{}
}

// waiter is a request that waits for a slot, or a rule that is to be enqueued when there is one.
type waiter struct {
	rule    watch.RuleKey
	granted chan struct{} // closed when the waiting request has a slot; nil: the rule is to be enqueued
}

// rule is what is known of the requests of one rule.
type rule[R any] struct {
	fast, slow *semaphore.Weighted // how many requests of the rule may be under way that are not slow, and that are
	batches    int                 // open
	underWay   map[Target]struct{}
	left       map[Target]R        // results that came after the batch was closed
	reserved   map[string]struct{} // lanes with a slot that is kept for the rule
}

// New returns lanes without a request. The first function names the lane of a target: ByNamespace or ByKind. The second is
// called with a rule when a request ends whose batch is closed, and when a slot has become free that the rule waits for. It
// must not block.
func New[R any](limits Limits, nameOf func(Target) string, enqueue func(watch.RuleKey)) *Lanes[R] {
	return &Lanes[R]{
		limits:  limits,
		nameOf:  nameOf,
		enqueue: enqueue,
		fast:    semaphore.NewWeighted(int64(limits.Total)),
		slow:    semaphore.NewWeighted(int64(limits.Total)),
		lanes:   map[string]*lane{},
		rules:   map[watch.RuleKey]*rule[R]{},
	}
}

// UnderWay returns the targets of the rule's requests that have not ended.
func (l *Lanes[R]) UnderWay(of watch.RuleKey) map[Target]struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	targets := map[Target]struct{}{}
	if r, known := l.rules[of]; known {
		for target := range r.underWay {
			targets[target] = struct{}{}
		}
	}
	return targets
}

// IsSlow reports whether the last request in the lane was slow, or one that is under way is.
func (l *Lanes[R]) IsSlow(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	lane, known := l.lanes[name]
	return known && lane.slow
}

// Take returns, once, the results of requests of the rule that ended after their batch was closed.
func (l *Lanes[R]) Take(of watch.RuleKey) map[Target]R {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, known := l.rules[of]
	if !known {
		return nil
	}
	taken := r.left
	r.left = map[Target]R{}
	l.collect(of, r)
	return taken
}

// Reserved returns the lanes with a slot that is kept for the rule.
func (l *Lanes[R]) Reserved(of watch.RuleKey) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, known := l.rules[of]; known {
		return slices.Collect(maps.Keys(r.reserved))
	}
	return nil
}

// Finish gives back the slots of these lanes that are kept for the rule still.
func (l *Lanes[R]) Finish(of watch.RuleKey, reserved []string) {
	l.mu.Lock()
	var enqueued []watch.RuleKey
	if r, known := l.rules[of]; known {
		for _, name := range reserved {
			if has(r.reserved, name) {
				delete(r.reserved, name)
				enqueued = append(enqueued, l.release(name)...)
			}
		}
		l.collect(of, r)
	}
	l.mu.Unlock()
	l.enqueueAll(enqueued)
}

func (l *Lanes[R]) lane(name string) *lane {
	found, known := l.lanes[name]
	if !known {
		found = &lane{free: l.limits.PerLane, waiting: list.New(), enqueues: map[watch.RuleKey]struct{}{}}
		l.lanes[name] = found
	}
	return found
}

func (l *Lanes[R]) rule(of watch.RuleKey) *rule[R] {
	found, known := l.rules[of]
	if !known {
		found = &rule[R]{
			fast:     semaphore.NewWeighted(int64(l.limits.PerRule)),
			slow:     semaphore.NewWeighted(int64(l.limits.PerRule)),
			underWay: map[Target]struct{}{},
			left:     map[Target]R{},
			reserved: map[string]struct{}{},
		}
		l.rules[of] = found
	}
	return found
}

// collect forgets the rule if it has no request, no result and no slot.
func (l *Lanes[R]) collect(of watch.RuleKey, r *rule[R]) {
	if r.batches+len(r.underWay)+len(r.left)+len(r.reserved) == 0 {
		delete(l.rules, of)
	}
}

func (l *Lanes[R]) enqueueAll(rules []watch.RuleKey) {
	for _, rule := range rules {
		l.enqueue(rule)
	}
}

func has[K comparable](set map[K]struct{}, key K) bool {
	_, found := set[key]
	return found
}
