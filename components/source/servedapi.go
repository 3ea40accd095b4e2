package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	v1 "projection.sh/operator/api/v1"
)

// verbs are what it takes to copy a kind and to keep the copies.
var verbs = []string{"get", "list", "watch", "patch", "delete"}

// servedAPI is what an API server says that it serves. It never changes.
type servedAPI struct {
	asked  time.Time // when the API server was asked
	groups []*metav1.APIGroup
	// resources are the kinds of each version that could be discovered, and silent why the others could not.
	resources map[schema.GroupVersion]*metav1.APIResourceList
	silent    map[schema.GroupVersion]error
}

var (
	// errIncomplete says that discovery proves nothing. Where a path of it is not found, client-go takes that for no groups.
	errIncomplete = errors.New("discover the kinds: the groups that every API server with rules serves are missing in its answer")
	// errUnlisted says the same of one version.
	errUnlisted = errors.New("the API server names the version, and not its kinds")
	// errPanic does not quote the panic.
	errPanic = errors.New("the operator panicked")
)

// discoverAPI asks the API server what it serves. That a version could not be discovered is part of the answer.
func discoverAPI(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, asked time.Time) (*servedAPI, error) {
	groups, lists, err := discovery.ServerGroupsAndResourcesWithContext(ctx, client)
	silent, partly := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partly {
		return nil, fmt.Errorf("discover the kinds: %w", err)
	}
	served := &servedAPI{asked: asked, groups: groups, silent: silent, resources: map[schema.GroupVersion]*metav1.APIResourceList{}}
	if served.group(corev1.GroupName) == nil || served.group(v1.GroupVersion.Group) == nil {
		return nil, errIncomplete
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("discover the kinds: %w", err)
		}
		served.resources[version] = list
	}
	return served, nil
}

func (s *servedAPI) group(name string) *metav1.APIGroup {
	for _, group := range s.groups {
		if group.Name == name {
			return group
		}
	}
	return nil
}

// find returns the resource of the kind, in the version that is wanted, else in the first that has it. A KindError says that the API
// server does not serve it; any other error says that it may: a version that is named could not be discovered.
func (s *servedAPI) find(wanted schema.GroupVersionKind) (schema.GroupVersion, *metav1.APIResource, error) {
	version, resource, err := s.look(wanted)
	if !IsKindError(err) {
		return version, resource, err
	}
	for version, cause := range s.silent {
		if version.Group == wanted.Group && (wanted.Version == "" || wanted.Version == version.Version) {
			return schema.GroupVersion{}, nil, undiscovered(version, cause)
		}
	}
	return schema.GroupVersion{}, nil, err
}

func (s *servedAPI) look(wanted schema.GroupVersionKind) (schema.GroupVersion, *metav1.APIResource, error) {
	versions, err := s.versions(wanted)
	if err != nil {
		return schema.GroupVersion{}, nil, err
	}
	for _, version := range versions {
		list, listed := s.resources[version]
		if cause, silent := s.silent[version]; silent {
			return version, nil, undiscovered(version, cause)
		}
		if !listed {
			return version, nil, undiscovered(version, errUnlisted)
		}
		if resource := find(list, wanted.Kind); resource != nil {
			return version, resource, nil
		}
	}
	return schema.GroupVersion{}, nil, missingKind(wanted, versions)
}

func undiscovered(version schema.GroupVersion, cause error) error {
	return fmt.Errorf("discover the kinds of %s: %w", version, cause)
}

// versions returns where to look for the kind: the version that is wanted, else all of the group, preferred first.
func (s *servedAPI) versions(wanted schema.GroupVersionKind) ([]schema.GroupVersion, error) {
	group := s.group(wanted.Group)
	if group == nil {
		return nil, newNotServed("the API server does not serve the group %q; check source.group, or install what provides it", wanted.Group)
	}
	versions := []schema.GroupVersion{{Group: group.Name, Version: group.PreferredVersion.Version}}
	for _, served := range group.Versions {
		if served.Version != group.PreferredVersion.Version {
			versions = append(versions, schema.GroupVersion{Group: group.Name, Version: served.Version})
		}
	}
	if wanted.Version == "" {
		return versions, nil
	}
	if pinned := wanted.GroupVersion(); slices.Contains(versions, pinned) {
		return []schema.GroupVersion{pinned}, nil
	}
	return nil, &KindError{Message: fmt.Sprintf("the API server does not serve version %q of the group %q; it serves %s, or leave source.version empty",
		wanted.Version, wanted.Group, versionNames(versions))}
}

// find returns the resource of the kind itself, not a subresource that speaks of the same kind.
func find(resources *metav1.APIResourceList, kind string) *metav1.APIResource {
	if resources == nil {
		return nil
	}
	for i := range resources.APIResources {
		resource := &resources.APIResources[i]
		if resource.Kind == kind && !strings.Contains(resource.Name, "/") {
			return resource
		}
	}
	return nil
}

func newKind(version schema.GroupVersion, resource *metav1.APIResource, pinned bool) (Kind, error) {
	if !resource.Namespaced {
		return Kind{}, &KindError{
			Message: resource.Kind + " is cluster-scoped; only namespaced objects can be projected", NotServed: true, clusterScoped: true,
		}
	}
	for _, verb := range verbs {
		if !slices.Contains(resource.Verbs, verb) {
			return Kind{}, &KindError{Message: fmt.Sprintf("the API server offers no %s for %s, so it cannot be projected", verb, resource.Kind)}
		}
	}
	return Kind{GroupVersionKind: version.WithKind(resource.Kind), Resource: resource.Name, Pinned: pinned}, nil
}

// missingKind says that the kind is missing. It is absent if that is the answer for every version of the group.
func missingKind(wanted schema.GroupVersionKind, looked []schema.GroupVersion) error {
	return &KindError{
		Message:   fmt.Sprintf("the API server serves no kind %q in %s; check source.kind, or install what provides it", wanted.Kind, versionNames(looked)),
		NotServed: wanted.Version == "",
	}
}

func versionNames(versions []schema.GroupVersion) string {
	names := make([]string, len(versions))
	for i, version := range versions {
		names[i] = version.String()
	}
	return strings.Join(names, ", ")
}
