package projector

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/projector/internal/memory"
)

// readYourWrites reads rules from the cache, and never older than this process has written them. A reconcile that read an older
// one would compare with a status that is not stored any more, and leave a false one behind.
type readYourWrites[O owner.Object] struct {
	cache, live client.Reader
	memory      *memory.Store
}

// get reads the rule: from the API server after a write that failed, from the cache otherwise. Only the cache says that a rule
// is gone: an API server that does not serve rules at the moment has none either.
func (r *readYourWrites[O]) get(ctx context.Context, key types.NamespacedName, into O) (rule O, found bool, err error) {
	written := r.written(key) // before the cache is read: what is forgotten meanwhile, the cache did not have yet when it was read
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
	return r.newest(written, into), true, nil
}

// wrote notes a rule as the API server returned it, unless the cache has it already.
func (r *readYourWrites[O]) wrote(ctx context.Context, rule O) {
	key := client.ObjectKeyFromObject(rule)
	written := rule.DeepCopyObject().(O)
	r.memory.Do(key, func(remembered *memory.Rule) { remembered.Written, remembered.Uncertain = written, false })
	cached := rule.DeepCopyObject().(O)
	if err := r.cache.Get(ctx, key, cached); err == nil {
		r.forgetWritten(cached)
	}
}

// markUncertain notes that a write of the rule failed. It may have been made all the same, and only its answer was lost; or the
// rule is not what the cache says.
func (r *readYourWrites[O]) markUncertain(rule O) {
	r.memory.Do(client.ObjectKeyFromObject(rule), func(remembered *memory.Rule) { remembered.Uncertain = true })
}

func (r *readYourWrites[O]) isUncertain(rule types.NamespacedName) (uncertain bool) {
	r.memory.Do(rule, func(remembered *memory.Rule) { uncertain = remembered.Uncertain })
	return uncertain
}

// written returns the rule as it was written last; nil: the cache has it.
func (r *readYourWrites[O]) written(rule types.NamespacedName) (written client.Object) {
	r.memory.DoIfKnown(rule, func(remembered *memory.Rule) { written = remembered.Written })
	return written
}

// newest returns the newer one of the rule that was written last and the one that the cache had after that.
//
// Example: a reconcile reads the rule from the cache, which is behind. Then the cache catches up, and the written rule is forgotten. It is newer than what
// the reconcile has read.
func (r *readYourWrites[O]) newest(written client.Object, cached O) O {
	if written, found := written.(O); found && isNewer(written, cached) {
		return written.DeepCopyObject().(O)
	}
	r.forgetWritten(cached)
	return cached
}

// forgetWritten forgets the rule as it was written last, if what the cache has is not older.
func (r *readYourWrites[O]) forgetWritten(cached O) {
	r.memory.DoIfKnown(client.ObjectKeyFromObject(cached), func(remembered *memory.Rule) {
		if remembered.Written != nil && !isNewer(remembered.Written, cached) {
			remembered.Written = nil
		}
	})
}

// isNewer reports whether the rule is a later version of the other. Versions that cannot be compared are not.
func isNewer(rule, other client.Object) bool {
	order, err := resourceversion.CompareResourceVersion(rule.GetResourceVersion(), other.GetResourceVersion())
	return err == nil && order > 0
}
