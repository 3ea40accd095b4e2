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

// latest remembers rules as the API server returned them to writes of ours that the cache does not know yet, and which
// rules it may have written without telling. A pass that took the cache at its word would compare with a status that is
// not there any more, and leave a false one behind.
type latest[O owner.Object] struct {
	cache, live client.Reader

	mu      sync.Mutex
	written map[types.NamespacedName]O
	doubted map[types.NamespacedName]bool
}

func newLatest[O owner.Object](cache, live client.Reader) *latest[O] {
	return &latest[O]{cache: cache, live: live, written: map[types.NamespacedName]O{}, doubted: map[types.NamespacedName]bool{}}
}

// get reads the rule: from the API server after a write that went wrong, from the cache otherwise. That a rule is gone
// only the cache says: an API server that does not serve rules at the moment knows of none.
func (l *latest[O]) get(ctx context.Context, key types.NamespacedName, into O) (rule O, found bool, err error) {
	if err := l.cache.Get(ctx, key, into); err != nil {
		return into, false, client.IgnoreNotFound(err)
	}
	if l.inDoubt(key) {
		live := into.DeepCopyObject().(O)
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		if err := l.live.Get(limited, key, live); err != nil {
			return into, false, fmt.Errorf("read the rule, of which a write went wrong: %w", err)
		}
		l.wrote(ctx, live)
		if isNewer(live, into) {
			return live, true, nil
		}
	}
	return l.of(into), true, nil
}

// wrote notes a rule as the API server returned it, unless the cache has caught up already.
func (l *latest[O]) wrote(ctx context.Context, rule O) {
	key := client.ObjectKeyFromObject(rule)
	l.mu.Lock()
	l.written[key] = rule.DeepCopyObject().(O)
	delete(l.doubted, key)
	l.mu.Unlock()
	cached := rule.DeepCopyObject().(O)
	if err := l.cache.Get(ctx, key, cached); err == nil {
		l.of(cached)
	}
}

// doubt notes that a write of the rule went wrong. It may have been made all the same, its answer lost; or the rule is not
// what the cache says.
func (l *latest[O]) doubt(rule O) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubted[client.ObjectKeyFromObject(rule)] = true
}

func (l *latest[O]) inDoubt(rule types.NamespacedName) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.doubted[rule]
}

// of returns the newer one of the rule that the cache has and the one that was written last.
func (l *latest[O]) of(cached O) O {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := client.ObjectKeyFromObject(cached)
	written, found := l.written[key]
	if found && isNewer(written, cached) {
		return written.DeepCopyObject().(O)
	}
	delete(l.written, key)
	return cached
}

func (l *latest[O]) forget(rule types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.written, rule)
	delete(l.doubted, rule)
}

// isNewer tells whether the rule is a later version of the other. Versions that cannot be compared are not.
func isNewer(rule, other client.Object) bool {
	order, err := resourceversion.CompareResourceVersion(rule.GetResourceVersion(), other.GetResourceVersion())
	return err == nil && order > 0
}
