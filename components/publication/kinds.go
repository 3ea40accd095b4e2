package publication

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"projection.sh/operator/components/apierr"
)

// kinds remembers which kinds a cluster serves. It is safe for concurrent use.
type kinds struct {
	mu    sync.Mutex
	known map[schema.GroupKind]kind
}

// kind is how a cluster serves a kind.
type kind struct {
	schema.GroupVersionResource

	name       string
	namespaced bool
}

func (k kind) kind() schema.GroupVersionKind { return k.GroupVersion().WithKind(k.name) }

// errNotServed says that a cluster does not serve a kind.
var errNotServed = errors.New("the kind is not served")

func (k *kinds) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = nil
}

// kindOf returns how the cluster serves the kind, in the version that it prefers, or else in the first that has it. errNotServed says that none has.
func (s *side) kindOf(ctx context.Context, of schema.GroupKind) (kind, error) {
	s.kinds.mu.Lock()
	known, found := s.kinds.known[of]
	s.kinds.mu.Unlock()
	if found {
		return known, nil
	}
	versions, err := versionsOf(ctx, s.Discovery, of.Group)
	if err != nil {
		return kind{}, err
	}
	for _, version := range versions {
		known, err = kindIn(ctx, s.Discovery, version, of.Kind)
		if !errors.Is(err, errNotServed) {
			break
		}
	}
	if err != nil {
		return kind{}, err
	}
	s.kinds.mu.Lock()
	defer s.kinds.mu.Unlock()
	if s.kinds.known == nil {
		s.kinds.known = map[schema.GroupKind]kind{}
	}
	s.kinds.known[of] = known
	return known, nil
}

// kindIn returns how a version of a group serves the kind.
func kindIn(ctx context.Context, client *discovery.DiscoveryClient, version schema.GroupVersion, of string) (kind, error) {
	list, err := client.ServerResourcesForGroupVersionWithContext(ctx, version.String())
	if apierrors.IsNotFound(err) { // the version is not served any more
		return kind{}, errNotServed
	}
	if err != nil {
		return kind{}, fmt.Errorf("ask for the kinds of %s: %w", version, err)
	}
	at := slices.IndexFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Kind == of && !slices.Contains([]byte(r.Name), '/') })
	if at < 0 {
		return kind{}, errNotServed
	}
	return kind{version.WithResource(list.APIResources[at].Name), of, list.APIResources[at].Namespaced}, nil
}

// versionsOf returns the versions of a group, the preferred one first.
func versionsOf(ctx context.Context, client *discovery.DiscoveryClient, group string) ([]schema.GroupVersion, error) {
	if group == "" {
		return []schema.GroupVersion{{Version: "v1"}}, nil
	}
	groups, err := client.ServerGroupsWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask for the API groups: %w", err)
	}
	for _, found := range groups.Groups {
		if found.Name != group {
			continue
		}
		versions := []schema.GroupVersion{{Group: group, Version: found.PreferredVersion.Version}}
		for _, other := range found.Versions {
			if other.Version != found.PreferredVersion.Version {
				versions = append(versions, schema.GroupVersion{Group: group, Version: other.Version})
			}
		}
		return versions, nil
	}
	return nil, errNotServed
}

func isIn[T comparable](value T, list []T) bool { return slices.Contains(list, value) }

func messageOf(err error) string { return apierr.Message(err) }
