package publication

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/watch"
)

// reasons say what a pass has to do for an object.
type reasons uint8

const (
	// changed: an event of the object says that it may have changed.
	changed reasons = 1 << iota
	// down: the object has to be read, and its copy to be brought up to date.
	down
	// up: the status of the copy has to come back.
	up
	// related: the related objects have to be brought up to date.
	related
)

// definitionKey is the place in the queue of the definition: no object has it.
var definitionKey types.NamespacedName

const (
	// passes is how many objects of one consumer are worked on at a time.
	passes = 4
	// passTimeout is how long a pass may take.
	passTimeout = 2 * time.Minute
	// firstRetry and lastRetry are after how long a pass that failed is tried again, the first time and in the end.
	firstRetry, lastRetry = 200 * time.Millisecond, 5 * time.Minute
)

// consumer is a cluster that a kind is offered to. It is safe for concurrent use.
type consumer struct {
	p       *publication
	cluster string // the name of the RemoteCluster
	queue   workqueue.TypedRateLimitingInterface[types.NamespacedName]

	mu       sync.Mutex
	id       string // the identity of the cluster
	why      map[types.NamespacedName]reasons
	seen     map[types.NamespacedName]uint64 // fingerprints of objects as events tell of them
	done     map[types.NamespacedName]uint64 // fingerprints of objects as the last pass has left them
	results  map[types.NamespacedName]*result
	busy     map[types.NamespacedName]bool // a pass is under way
	leaving  bool                          // it is no consumer any more, and what there is of it has to go
	watching *objectWatch
	pairs    map[types.NamespacedName][]pair
	related  map[relatedCopy]writtenRelated
}

// result is what the last pass for an object, or for the definition, has come to.
type result struct {
	*problem // nil: all is as it should be

	accepted  bool      // the object is to be copied
	ready     bool      // of the definition: the kind is served
	statusAt  time.Time // when the status of the object was written last
	suspended bool      // there is something to do
}

func newConsumer(p *publication, cluster, identity string) *consumer {
	c := &consumer{
		p: p, cluster: cluster, id: identity, why: map[types.NamespacedName]reasons{}, seen: map[types.NamespacedName]uint64{},
		done: map[types.NamespacedName]uint64{}, results: map[types.NamespacedName]*result{},
		busy: map[types.NamespacedName]bool{}, pairs: map[types.NamespacedName][]pair{}, related: map[relatedCopy]writtenRelated{},
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](firstRetry, lastRetry)),
	}
	go c.run(p.ctx)
	return c
}

// run works on the queue until it is shut down.
func (c *consumer) run(ctx context.Context) {
	slots := make(chan struct{}, passes)
	for {
		key, ends := c.queue.Get()
		if ends {
			return
		}
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			defer c.queue.Done(key)
			c.process(ctx, key)
		}()
	}
}

func (c *consumer) close() {
	c.queue.ShutDown()
	c.unwatch()
}

// unwatch ends the watch of the objects.
func (c *consumer) unwatch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watching != nil {
		go c.watching.close() // it waits for an event that may wait for the lock
		c.watching = nil
	}
}

func (c *consumer) identity() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

func (c *consumer) setIdentity(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id = id
}

// indexed is the kind of the objects of the consumer in indexes.
func (c *consumer) indexed() string { return c.p.name + "/" + c.cluster }

// ruleKey is an object of the consumer in indexes.
func (c *consumer) ruleKey(key types.NamespacedName) watch.RuleKey {
	return watch.RuleKey{Kind: c.indexed(), NamespacedName: key}
}

func (c *consumer) add(key types.NamespacedName, why reasons) {
	c.mu.Lock()
	c.why[key] |= why
	c.mu.Unlock()
	c.queue.Add(key)
}

func (c *consumer) addAfter(key types.NamespacedName, why reasons, after time.Duration) {
	c.mu.Lock()
	c.why[key] |= why
	c.mu.Unlock()
	c.queue.AddAfter(key, after)
}

// addAll has everything looked at.
func (c *consumer) addAll() {
	for _, key := range c.keys() {
		c.queue.Forget(key)
		c.add(key, down)
	}
	c.add(definitionKey, down)
}

// keys returns all objects that are known of.
func (c *consumer) keys() []types.NamespacedName {
	c.mu.Lock()
	keys, id := maps.Clone(c.seen), c.id
	for key := range c.results {
		keys[key] = 0
	}
	c.mu.Unlock()
	if v, ready := c.p.view(); ready {
		for _, origin := range v.copies.inCluster(id) {
			keys[origin.key()] = 0
		}
	}
	delete(keys, definitionKey)
	return slices.Collect(maps.Keys(keys))
}

// addFailed has everything looked at again that is not as it should be.
func (c *consumer) addFailed() {
	c.mu.Lock()
	var failed []types.NamespacedName
	for key, result := range c.results {
		if result.problem != nil || result.suspended {
			failed = append(failed, key)
		}
	}
	c.mu.Unlock()
	if c.needsDefinition() {
		failed = append(failed, definitionKey)
	}
	for _, key := range failed {
		c.queue.Forget(key)
		c.add(key, down)
	}
}

// needsDefinition reports whether the definition has to be looked at: it is not as it should be, or there is another connection.
func (c *consumer) needsDefinition() bool {
	member, _ := c.p.engine.options.Registry.Get(c.cluster)
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.results[definitionKey]
	return known == nil || known.problem != nil || !known.ready || c.watching == nil || c.watching.at.member != member || c.leaving
}

// leave has everything removed that there is of the consumer, or not.
func (c *consumer) leave(leaving bool) {
	c.mu.Lock()
	isNew := c.leaving != leaving
	c.leaving = leaving
	c.mu.Unlock()
	if isNew {
		c.addAll()
	}
}

func (c *consumer) isLeaving() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leaving
}

// process makes a pass, and notes what came of it.
func (c *consumer) process(ctx context.Context, key types.NamespacedName) {
	ctx, cancel := context.WithTimeout(ctx, passTimeout)
	defer cancel()
	c.mu.Lock()
	why := c.why[key]
	delete(c.why, key)
	if why == changed && c.done[key] != 0 && c.done[key] == c.seen[key] {
		c.mu.Unlock()
		return // the pass before has seen it
	}
	c.busy[key] = true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.busy, key)
		c.mu.Unlock()
	}()
	end := ending{}
	err := c.p.catchPanic(ctx, func() error {
		if key == definitionKey {
			end = c.define(ctx)
			return nil
		}
		end = c.pass(ctx, key, why)
		return nil
	})
	if err != nil {
		end = ending{result: &result{problem: &problem{reason: v1.ReasonInternalError, message: err.Error()}}, retry: true}
	}
	if ctx.Err() != nil && c.p.ctx.Err() != nil {
		return
	}
	c.note(key, end)
	switch {
	case end.retry:
		c.mu.Lock()
		c.why[key] |= why | down
		c.mu.Unlock()
		c.queue.AddRateLimited(key)
	default:
		c.queue.Forget(key)
		if end.after > 0 {
			c.addAfter(key, end.why, end.after)
		}
	}
}

// resource is how the consumer's objects are addressed.
func (v view) resource() schema.GroupVersionResource { return v.api.consumer.GroupVersionResource }
