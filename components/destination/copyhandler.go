package destination

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// copyHandler passes the events of the watch on copies to their CopyCache.
type copyHandler struct{ cache *CopyCache }

var _ watch.EventHandler = copyHandler{}

// Replace takes a list of all copies: the first one, or one after the watch had to start over.
func (h copyHandler) Replace(objects []metav1.Object, resourceVersion string) {
	list := make([]observation, len(objects))
	for i, object := range objects {
		list[i] = observationOf(h.cache.kind, object, true)
	}
	h.cache.change(func(x *copyIndex) []types.NamespacedName { return x.replace(list, resourceVersion) })
}

// Event takes an event of the watch. A deleted object is gone, or does not have the label any more.
func (h copyHandler) Event(object metav1.Object, deleted bool) {
	seen := observationOf(h.cache.kind, object, !deleted)
	h.cache.change(func(x *copyIndex) []types.NamespacedName { return x.observe(seen) })
}

// observationOf returns what is known of a place from the object. The object of a deletion is as it was last, and does not say who
// deleted it.
func observationOf(kind owner.RuleKind, object metav1.Object, exists bool) observation {
	seen := observation{
		at:    types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()},
		State: State{ResourceVersion: object.GetResourceVersion()},
	}
	if exists {
		seen.State = stateOf(kind, object)
		seen.lastManager = func() string {
			rule := owner.Identity{Kind: kind, Namespace: seen.Owner.Namespace, Name: seen.Owner.Name}
			return latestManager(object, rule.FieldManager())
		}
	}
	return seen
}
