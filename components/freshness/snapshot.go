package freshness

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// pageSize is how many objects one request lists.
const pageSize = 2000

// snapshot is what the API server held at one resourceVersion.
type snapshot struct {
	objects         map[types.NamespacedName]string // their resourceVersions
	resourceVersion string
}

// list takes a snapshot by a read that no cache of the API server answers from the past.
func (g *Gate) list(ctx context.Context, list List) (snapshot, error) {
	kind, err := apiutil.GVKForObject(list.New(), g.Scheme)
	if err != nil {
		return snapshot{}, err
	}
	taken := snapshot{objects: map[types.NamespacedName]string{}}
	for next := ""; ; {
		var page metav1.PartialObjectMetadataList
		page.SetGroupVersionKind(kind)
		err := g.Live.List(ctx, &page, client.Limit(pageSize), client.Continue(next),
			client.MatchingLabelsSelector{Selector: list.Selector})
		if err != nil {
			return snapshot{}, fmt.Errorf("list %s: %w", kind.Kind, err)
		}
		for i := range page.Items {
			taken.objects[client.ObjectKeyFromObject(&page.Items[i])] = page.Items[i].ResourceVersion
		}
		if next = page.Continue; next == "" {
			taken.resourceVersion = page.ResourceVersion
			return taken, nil
		}
	}
}

// staleness returns an error that says what the cache does not know yet: an object of the snapshot, the latest change of one,
// or a deletion. An object that is in the cache and not in the snapshot has to be newer than the snapshot.
func (s snapshot) staleness(cached client.ObjectList) error {
	found := 0
	err := meta.EachListItem(cached, func(object runtime.Object) error {
		held, err := meta.Accessor(object)
		if err != nil {
			return err
		}
		key := types.NamespacedName{Namespace: held.GetNamespace(), Name: held.GetName()}
		wanted, listed := s.objects[key]
		if listed {
			found++
		} else {
			wanted = s.resourceVersion
		}
		order, err := resourceversion.CompareResourceVersion(held.GetResourceVersion(), wanted)
		if err != nil {
			return err
		}
		if order < 0 {
			return fmt.Errorf("the cache holds an old version of %s", key)
		}
		return nil
	})
	if err == nil && found < len(s.objects) {
		return fmt.Errorf("the cache lacks %d objects", len(s.objects)-found)
	}
	return err
}

// contradiction returns an error that names an object of which the cache held a newer version before the snapshot was taken. The
// version is of a history that was lost.
func (s snapshot) contradiction(before client.ObjectList) error {
	return meta.EachListItem(before, func(object runtime.Object) error {
		held, err := meta.Accessor(object)
		if err != nil {
			return err
		}
		key := types.NamespacedName{Namespace: held.GetNamespace(), Name: held.GetName()}
		newest, listed := s.objects[key]
		if !listed {
			newest = s.resourceVersion
		}
		order, err := resourceversion.CompareResourceVersion(held.GetResourceVersion(), newest)
		if err != nil {
			return err
		}
		if order > 0 {
			return fmt.Errorf("the cache holds a version of %s that the API server does not know", key)
		}
		return nil
	})
}
