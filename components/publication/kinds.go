package publication

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

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

// kindOf returns how the cluster serves the kind, in the version that it prefers. errNotServed says that it does not.
func (s *side) kindOf(ctx context.Context, of schema.GroupKind) (kind, error) {
	s.kinds.mu.Lock()
	known, found := s.kinds.known[of]
	s.kinds.mu.Unlock()
	if found {
		return known, nil
	}
	version, err := preferredVersion(ctx, s.Discovery, of.Group)
	if err != nil {
		return kind{}, err
	}
	list, err := s.Discovery.ServerResourcesForGroupVersionWithContext(ctx, version.String())
	if err != nil {
		return kind{}, fmt.Errorf("ask for the kinds of %s: %w", version, err)
	}
	at := slices.IndexFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Kind == of.Kind && !slices.Contains([]byte(r.Name), '/') })
	if at < 0 {
		return kind{}, errNotServed
	}
	known = kind{version.WithResource(list.APIResources[at].Name), of.Kind, list.APIResources[at].Namespaced}
	s.kinds.mu.Lock()
	defer s.kinds.mu.Unlock()
	if s.kinds.known == nil {
		s.kinds.known = map[schema.GroupKind]kind{}
	}
	s.kinds.known[of] = known
	return known, nil
}

func preferredVersion(ctx context.Context, client *discovery.DiscoveryClient, group string) (schema.GroupVersion, error) {
	if group == "" {
		return schema.GroupVersion{Version: "v1"}, nil
	}
	groups, err := client.ServerGroupsWithContext(ctx)
	if err != nil {
		return schema.GroupVersion{}, fmt.Errorf("ask for the API groups: %w", err)
	}
	for _, found := range groups.Groups {
		if found.Name == group {
			return schema.ParseGroupVersion(found.PreferredVersion.GroupVersion)
		}
	}
	return schema.GroupVersion{}, errNotServed
}

func isIn[T comparable](value T, list []T) bool { return slices.Contains(list, value) }

func messageOf(err error) string { return apierr.Message(err) }
