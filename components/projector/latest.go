package projector

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/owner"
)

// latest remembers rules as the API server returned them to writes of ours that the cache does not know yet. A pass that
// took the cache at its word would compare with a status that is not there any more, and leave a false one behind.
type latest[O owner.Object] struct {
	mu      sync.Mutex
	written map[types.NamespacedName]O
}

func newLatest[O owner.Object]() *latest[O] {
	return &latest[O]{written: map[types.NamespacedName]O{}}
}

// wrote notes a rule as a write returned it, unless the cache has caught up already.
func (l *latest[O]) wrote(ctx context.Context, cache client.Reader, rule O) {
	l.mu.Lock()
	l.written[client.ObjectKeyFromObject(rule)] = rule.DeepCopyObject().(O)
	l.mu.Unlock()
	cached := rule.DeepCopyObject().(O)
	if err := cache.Get(ctx, client.ObjectKeyFromObject(rule), cached); err == nil {
		l.of(cached)
	}
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
}

// isNewer tells whether the rule is a later version of the other. Versions that cannot be compared are not.
func isNewer(rule, other client.Object) bool {
	order, err := resourceversion.CompareResourceVersion(rule.GetResourceVersion(), other.GetResourceVersion())
	return err == nil && order > 0
}
