package destination

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"projection.sh/operator/components/owner"
)

// copyHandler passes the events of the watch on copies to their CopyCache.
type copyHandler struct{ cache *CopyCache }

var _ cache.ReflectorStore = copyHandler{}

// Add takes an event of the watch.
func (h copyHandler) Add(object any) error { return h.event(object, true) }

// Update takes an event of the watch.
func (h copyHandler) Update(object any) error { return h.event(object, true) }

// Delete takes an event of the watch: the object is gone, or no longer bears the label.
func (h copyHandler) Delete(object any) error { return h.event(object, false) }

// Resync has nothing to do.
func (h copyHandler) Resync() error { return nil }

// Replace takes a list of all copies: the first one, or one after the watch had to start over.
func (h copyHandler) Replace(objects []any, resourceVersion string) error {
	list, err := observationsOf(h.cache.kind, objects)
	if err != nil {
		return err
	}
	h.cache.change(func(x *copyIndex) []types.NamespacedName { return x.replace(list, resourceVersion) })
	return nil
}

func (h copyHandler) event(object any, exists bool) error {
	seen, err := observationOf(h.cache.kind, object, exists)
	if err != nil {
		return err
	}
	h.cache.change(func(x *copyIndex) []types.NamespacedName { return x.observe(seen) })
	return nil
}

func observationsOf(kind owner.RuleKind, objects []any) ([]observation, error) {
	list := make([]observation, len(objects))
	for i, object := range objects {
		var err error
		if list[i], err = observationOf(kind, object, true); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// observationOf returns what the object tells of its place. An object that does not exist any more is as it was last, and does not
// tell who deleted it.
func observationOf(kind owner.RuleKind, object any, exists bool) (observation, error) {
	metadata, ok := object.(metav1.Object)
	if !ok {
		return observation{}, fmt.Errorf("the watch on copies sent a %T", object)
	}
	seen := observation{
		at:    types.NamespacedName{Namespace: metadata.GetNamespace(), Name: metadata.GetName()},
		State: State{ResourceVersion: metadata.GetResourceVersion()},
	}
	if exists {
		seen.State = stateOf(kind, metadata)
		rule := owner.Identity{Kind: kind, Namespace: seen.Owner.Namespace, Name: seen.Owner.Name}
		seen.lastManager = latestManager(metadata, rule.FieldManager())
	}
	return seen, nil
}
