package forecast

import (
	"context"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/source"
)

const (
	// maxLooks is how many places without a copy are looked at one by one.
	maxLooks = 100
	// maxRequests is how many requests are made at a time.
	maxRequests = 10
	// fewPlaces is how many places with one name are looked at one by one, although a list would have them all.
	fewPlaces = 10
)

// inventory has what is known of the places of copies of a rule. The copies are of one kind.
type inventory struct {
	isRead, isHidden, isListRefused bool
	copies                          map[types.NamespacedName]place
	// looked has the places of the present source that have no copy.
	looked map[types.NamespacedName]place
	looks  int
	// names are those that copies of the rule have.
	names *names
	// looksAtAll reports whether every place is looked at, however many requests that takes.
	looksAtAll bool
}

// at returns what is known of a place.
func (i *inventory) at(at types.NamespacedName) (found place, isKnown bool) {
	if found, isKnown = i.copies[at]; isKnown {
		return found, true
	}
	found, isKnown = i.looked[at]
	return found, isKnown
}

// read lists the copies of the rule by their label. If the caller may not list them, none is known.
func (i *inventory) read(ctx context.Context, cluster *access.Cluster, rule access.Rule, kind source.Kind) error {
	if i.isRead {
		return nil
	}
	i.isRead, i.copies = true, map[types.NamespacedName]place{}
	options := metav1.ListOptions{LabelSelector: rule.Kind.Label + "=" + string(rule.UID)}
	err := cluster.EachMetadata(ctx, kind.GroupVersionResource(), rule.Namespace, options, func(object *metav1.PartialObjectMetadata) error {
		if rule.Owns(object) {
			i.copies[types.NamespacedName{Namespace: object.Namespace, Name: object.Name}] = placeOf(rule, object)
		}
		return nil
	})
	if i.isHidden = access.IsUnknown(err); i.isHidden {
		return nil
	}
	return err
}

// look finds out what is in those of the places that have no copy. Many places with one name take one list, if the caller may list objects.
func (i *inventory) look(ctx context.Context, cluster *access.Cluster, rule access.Rule, kind source.Kind, places []types.NamespacedName) error {
	i.looked = map[types.NamespacedName]place{}
	byName := map[string][]types.NamespacedName{}
	for _, at := range places {
		if _, isKnown := i.copies[at]; !isKnown {
			byName[at.Name] = append(byName[at.Name], at)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if len(byName[name]) > fewPlaces && !i.isListRefused {
			if err := i.list(ctx, cluster, rule, kind, byName[name]); err != nil {
				return err
			}
			if !i.isListRefused {
				continue
			}
		}
		if err := i.get(ctx, cluster, rule, kind, byName[name]); err != nil {
			return err
		}
	}
	return nil
}

// list looks at places that have one name, in all namespaces.
func (i *inventory) list(ctx context.Context, cluster *access.Cluster, rule access.Rule, kind source.Kind, places []types.NamespacedName) error {
	found := make(map[types.NamespacedName]place, len(places))
	for _, at := range places {
		found[at] = place{}
	}
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, places[0].Name).String()}
	err := cluster.EachMetadata(ctx, kind.GroupVersionResource(), "", options, func(object *metav1.PartialObjectMetadata) error {
		at := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
		if _, isPlace := found[at]; isPlace {
			found[at] = placeOf(rule, object)
		}
		return nil
	})
	if i.isListRefused = access.IsUnknown(err) || apierrors.IsBadRequest(err); i.isListRefused {
		return nil
	}
	maps.Copy(i.looked, found)
	return err
}

// get looks at places one by one, some at a time.
func (i *inventory) get(ctx context.Context, cluster *access.Cluster, rule access.Rule, kind source.Kind, places []types.NamespacedName) error {
	if !i.looksAtAll {
		places = places[:min(len(places), max(maxLooks-i.looks, 0))]
	}
	i.looks += len(places)
	var mu sync.Mutex
	requests, ctx := errgroup.WithContext(ctx)
	requests.SetLimit(maxRequests)
	for _, at := range places {
		requests.Go(func() error {
			found, err := cluster.ObjectMetadata(ctx, kind.GroupVersionResource(), at)
			known := placeOf(rule, found)
			if access.IsUnknown(err) {
				known, err = place{isHidden: true}, nil
			}
			mu.Lock()
			defer mu.Unlock()
			i.looked[at] = known
			return err
		})
	}
	return requests.Wait()
}

// why says why nothing is known of a place.
func (i *inventory) why() string {
	if i.isHidden {
		return "you may not list the copies, and this place was not looked at"
	}
	return "no copy is known, and what is in its place was not looked at"
}
