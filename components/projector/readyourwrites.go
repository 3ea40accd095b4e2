package projector

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/owner"
)

// readYourWrites remembers rules as the API server returned them to writes of ours that the cache does not know yet, and which
// rules it may have written without telling. A pass that took the cache at its word would compare with a status that is
// not there any more, and leave a false one behind.
type readYourWrites[O owner.Object] struct {
	cache, live client.Reader

	mu        sync.Mutex
	written   map[types.NamespacedName]O
	uncertain map[types.NamespacedName]bool
}

func newReadYourWrites[O owner.Object](cache, live client.Reader) *readYourWrites[O] {
	return &readYourWrites[O]{cache: cache, live: live, written: map[types.NamespacedName]O{}, uncertain: map[types.NamespacedName]bool{}}
}

// get reads the rule: from the API server after a write that went wrong, from the cache otherwise. That a rule is gone
// only the cache says: an API server that does not serve rules at the moment knows of none.
func (r *readYourWrites[O]) get(ctx context.Context, key types.NamespacedName, into O) (rule O, found bool, err error) {
	if err := r.cache.Get(ctx, key, into); err != nil {
		return into, false, client.IgnoreNotFound(err)
	}
	if r.isUncertain(key) {
		live := into.DeepCopyObject().(O)
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		if err := r.live.Get(limited, key, live); err != nil {
			return into, false, fmt.Errorf("read the rule, of which a write went wrong: %w", err)
		}
		r.wrote(ctx, live)
		if isNewer(live, into) {
			return live, true, nil
		}
	}
	return r.newer(into), true, nil
}

// wrote notes a rule as the API server returned it, unless the cache has caught up already.
func (r *readYourWrites[O]) wrote(ctx context.Context, rule O) {
	key := client.ObjectKeyFromObject(rule)
	r.mu.Lock()
	r.written[key] = rule.DeepCopyObject().(O)
	delete(r.uncertain, key)
	r.mu.Unlock()
	cached := rule.DeepCopyObject().(O)
	if err := r.cache.Get(ctx, key, cached); err == nil {
		r.newer(cached)
	}
}

// markUncertain notes that a write of the rule went wrong. It may have been made all the same, its answer lost; or the rule is not
// what the cache says.
func (r *readYourWrites[O]) markUncertain(rule O) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.uncertain[client.ObjectKeyFromObject(rule)] = true
}

func (r *readYourWrites[O]) isUncertain(rule types.NamespacedName) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.uncertain[rule]
}

// newer returns the newer one of the rule that the cache has and the one that was written last.
func (r *readYourWrites[O]) newer(cached O) O {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := client.ObjectKeyFromObject(cached)
	written, found := r.written[key]
	if found && isNewer(written, cached) {
		return written.DeepCopyObject().(O)
	}
	delete(r.written, key)
	return cached
}

func (r *readYourWrites[O]) forget(rule types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.written, rule)
	delete(r.uncertain, rule)
}

// isNewer tells whether the rule is a later version of the other. Versions that cannot be compared are not.
func isNewer(rule, other client.Object) bool {
	order, err := resourceversion.CompareResourceVersion(rule.GetResourceVersion(), other.GetResourceVersion())
	return err == nil && order > 0
}
