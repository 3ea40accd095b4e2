package source

import (
	"cmp"
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
	errIncomplete = failedDiscovery(errors.New("the answer lacks groups that every API server serves"))
	// errUnlisted says the same of one version.
	errUnlisted = errors.New("the API server names the version, and not its kinds")
	// errPanic does not quote the panic.
	errPanic = errors.New("the operator panicked")
)

// discoverAPI asks the API server what it serves. That a version could not be discovered is part of the answer.
func discoverAPI(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, asked time.Time, proof []string) (*servedAPI, error) {
	groups, lists, err := discovery.ServerGroupsAndResourcesWithContext(ctx, client)
	silent, partly := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partly {
		return nil, failedDiscovery(err)
	}
	served := &servedAPI{asked: asked, groups: groups, silent: silent, resources: map[schema.GroupVersion]*metav1.APIResourceList{}}
	if slices.ContainsFunc(proof, func(group string) bool { return served.group(group) == nil }) {
		return nil, errIncomplete
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, failedDiscovery(err)
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
	return schema.GroupVersion{}, nil, s.missingKind(wanted)
}

// versions returns where to look for the kind: the version that is wanted, else all of the group, preferred first.
func (s *servedAPI) versions(wanted schema.GroupVersionKind) ([]schema.GroupVersion, error) {
	group := s.group(wanted.Group)
	if group == nil {
		return nil, &KindError{
			Message:   fmt.Sprintf("the API server does not serve the group %q", wanted.Group),
			Advice:    cmp.Or(s.suggest(wanted), "check source.group, or install what provides it"),
			NotServed: true,
		}
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
	return nil, &KindError{
		Message: fmt.Sprintf("the API server does not serve version %q of %s, but %s", wanted.Version, groupName(wanted.Group), versionNames(versions)),
		Advice:  "correct source.version, or remove it",
	}
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
			Message: resource.Kind + " is cluster-scoped, and only namespaced objects can be copied", Advice: "choose a namespaced kind",
			NotServed: true, clusterScoped: true,
		}
	}
	for _, verb := range verbs {
		if !slices.Contains(resource.Verbs, verb) {
			return Kind{}, &KindError{
				Message: fmt.Sprintf("%s cannot be copied, because the API server does not support %s on it", resource.Kind, verb),
				Advice:  "choose another kind",
			}
		}
	}
	return Kind{GroupVersionKind: version.WithKind(resource.Kind), Resource: resource.Name, Pinned: pinned}, nil
}

// missingKind says that the kind is missing. It is absent if that is the answer for every version of the group.
func (s *servedAPI) missingKind(wanted schema.GroupVersionKind) error {
	where := groupName(wanted.Group)
	if wanted.Version != "" {
		where = "version " + wanted.Version + " of " + where
	}
	return &KindError{
		Message:   fmt.Sprintf("the API server serves no kind %q in %s", wanted.Kind, where),
		Advice:    cmp.Or(s.suggest(wanted), "check source.kind, or install what provides it"),
		NotServed: wanted.Version == "",
	}
}

// groupName names a group in a message.
func groupName(group string) string {
	if group == corev1.GroupName {
		return "the core group"
	}
	return fmt.Sprintf("the group %q", group)
}

func versionNames(versions []schema.GroupVersion) string {
	names := make([]string, len(versions))
	for i, version := range versions {
		names[i] = version.Version
	}
	return strings.Join(names, ", ")
}
