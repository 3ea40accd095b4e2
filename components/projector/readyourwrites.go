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

// wrote notes a rule as the API server returned it, unless the cache has it already.
func (r *readYourWrites[O]) wrote(ctx context.Context, rule O) {
	key := client.ObjectKeyFromObject(rule)
	written := rule.DeepCopyObject().(O)
	r.memory.Do(key, func(remembered *memory.Rule) { remembered.Written, remembered.Uncertain = written, false })
	cached := rule.DeepCopyObject().(O)
	if err := r.cache.Get(ctx, key, cached); err == nil {
		r.newer(cached)
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

// newer returns the newer one of the rule that the cache has and the one that was written last.
func (r *readYourWrites[O]) newer(cached O) O {
	rule := cached
	r.memory.Do(client.ObjectKeyFromObject(cached), func(remembered *memory.Rule) {
		if written, found := remembered.Written.(O); found && isNewer(written, cached) {
			rule = written.DeepCopyObject().(O)
			return
		}
		remembered.Written = nil
	})
	return rule
}

// isNewer reports whether the rule is a later version of the other. Versions that cannot be compared are not.
func isNewer(rule, other client.Object) bool {
	order, err := resourceversion.CompareResourceVersion(rule.GetResourceVersion(), other.GetResourceVersion())
	return err == nil && order > 0
}
