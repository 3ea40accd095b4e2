package destination

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// Inventory knows the copies of the rules of one kind, for every kind of copies that a rule watches.
type Inventory struct {
	caches *watch.Pool[watch.RuleKey, *watchedCache]
}

// watchedCache is a cache with the watch that feeds it.
type watchedCache struct {
	*watch.Stream
	cache *CopyCache
}

// LateWrites is how long after its sender has given up a write can still take effect: an API server works on a request for up to a
// minute, and the network can delay it. For that time, the copies of a kind are watched after the last rule has stopped watching them.
const LateWrites = 2 * time.Minute

// NewInventory returns an empty inventory whose watches end with the context.
func NewInventory(ctx context.Context, rules owner.RuleKind, client metadata.Interface, enqueue watch.EnqueueFunc) *Inventory {
	return NewWitnessedInventory(ctx, rules, client, enqueue, nil)
}

// NewWitnessedInventory returns an empty inventory of a cluster that can be cut off. Nil: it cannot.
func NewWitnessedInventory(
	ctx context.Context, rules owner.RuleKind, client metadata.Interface, enqueue watch.EnqueueFunc, witness watch.Witness,
) *Inventory {
	return &Inventory{caches: watch.NewPool[watch.RuleKey](func(kind schema.GroupVersionResource) *watchedCache {
		cache := newCopyCache(rules, enqueue)
		source := watch.ByLabel(client.Resource(kind), rules.Label).Of(kind).Witnessed(witness)
		return &watchedCache{watch.Open(ctx, rules.Name+" copies of "+kind.String(), source, watch.Store(copyHandler{cache})), cache}
	}).WithIdleTTL(LateWrites)}
}

// Watch makes these kinds, and no others, the ones that the rule may have copies of, and waits until all copies are known.
func (i *Inventory) Watch(ctx context.Context, rule watch.RuleKey, kinds ...schema.GroupVersionResource) ([]*CopyCache, error) {
	watched := i.caches.Hold(rule, kinds...)
	caches, errs := make([]*CopyCache, len(watched)), make([]error, len(watched))
	for n, entry := range watched {
		caches[n], errs[n] = entry.cache, entry.WaitForStart(ctx)
	}
	return caches, errors.Join(errs...)
}

// Caches returns what is known of the copies of a resource, in every version that is watched.
func (i *Inventory) Caches(resource schema.GroupResource) map[schema.GroupVersionResource]*CopyCache {
	found := map[schema.GroupVersionResource]*CopyCache{}
	i.caches.Each(func(kind schema.GroupVersionResource, watched *watchedCache) {
		if kind.GroupResource() == resource {
			found[kind] = watched.cache
		}
	})
	return found
}

// ResourcesOf returns the resources of which the rule has copies, of those that are watched.
func (i *Inventory) ResourcesOf(rule types.NamespacedName) []schema.GroupVersionResource {
	var found []schema.GroupVersionResource
	i.caches.Each(func(kind schema.GroupVersionResource, watched *watchedCache) {
		if watched.cache.HasCopies(rule) {
			found = append(found, kind)
		}
	})
	return found
}

// CountByOwner returns how many objects of the watched kinds name a rule as their owner, by that rule. An object of a kind that is watched in
// two versions counts once.
func (i *Inventory) CountByOwner() map[types.NamespacedName]int {
	byResource := map[schema.GroupResource]map[types.NamespacedName]int{}
	i.caches.Each(func(kind schema.GroupVersionResource, watched *watchedCache) {
		byResource[kind.GroupResource()] = watched.cache.countByOwner()
	})
	total := map[types.NamespacedName]int{}
	for _, counts := range byResource {
		for rule, count := range counts {
			total[rule] += count
		}
	}
	return total
}

// SetSuspended notes whether the rule is suspended. Then it is enqueued whenever one of its copies is changed, since its plan changes.
func (i *Inventory) SetSuspended(rule types.NamespacedName, suspended bool) {
	i.caches.Each(func(_ schema.GroupVersionResource, watched *watchedCache) {
		watched.cache.setSuspended(rule, suspended)
	})
}

// Forget forgets what the rule wants, and lets go of every kind that it holds, since the rule is gone.
func (i *Inventory) Forget(rule watch.RuleKey) {
	i.caches.Each(func(_ schema.GroupVersionResource, watched *watchedCache) { watched.cache.Forget(rule.NamespacedName) })
	i.caches.Hold(rule)
}

// Release lets go of every kind that the rule holds, and watches none that no other rule holds: they are not served.
func (i *Inventory) Release(rule watch.RuleKey) { i.caches.Release(rule) }

// Watches returns how many kinds are watched, and how many of those watches cannot follow at the moment.
func (i *Inventory) Watches() (open, failing int) { return i.caches.Count((*watchedCache).Failure) }
