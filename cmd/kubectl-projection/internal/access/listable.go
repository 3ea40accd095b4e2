package access

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// Listable is a kind of namespaced objects that can be listed.
type Listable struct {
	Resource schema.GroupVersionResource
	Kind     schema.GroupKind
}

// Listable returns the kinds of namespaced objects that the API server lists, each in its preferred version, and the groups that it cannot describe now.
func (c *Cluster) Listable(ctx context.Context) (kinds []Listable, unknown []string, err error) {
	lists, err := c.Discovery.ServerPreferredNamespacedResourcesWithContext(ctx)
	if failed, isPartial := discovery.GroupDiscoveryFailedErrorGroups(err); isPartial {
		for version := range failed {
			unknown = append(unknown, version.String())
		}
		slices.Sort(unknown)
	} else if err != nil {
		return nil, nil, err
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, nil, err
		}
		for i := range list.APIResources {
			resource := &list.APIResources[i]
			if slices.Contains(resource.Verbs, "list") && slices.Contains(resource.Verbs, "delete") {
				kinds = append(kinds, Listable{version.WithResource(resource.Name), schema.GroupKind{Group: version.Group, Kind: resource.Kind}})
			}
		}
	}
	return kinds, unknown, nil
}
