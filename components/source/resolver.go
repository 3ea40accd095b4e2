package source

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"

	v1 "projection.sh/operator/api/v1"
)

// verbs are what it takes to copy a kind and to keep the copies.
var verbs = []string{"get", "list", "watch", "patch", "delete"}

// Resolver finds kinds by discovery. It remembers what it saw until a kind is missing or definitions change.
type Resolver struct {
	discovery discovery.CachedDiscoveryInterfaceWithContext
	registry  Registry
	clock     func() time.Time

	mu          sync.Mutex
	fetched     time.Time            // when the API server was asked last
	stale       bool                 // what it said then is known to be outdated
	changed     map[string]time.Time // when the definitions of a group changed last
	terminating map[schema.GroupResource]bool
	// hidden are kinds that are not served and of which objects may exist.
	hidden map[schema.GroupKind]hiddenKind
}

const (
	// propagation is how long an API server may take to serve kinds as their CustomResourceDefinitions say.
	propagation = 10 * time.Second
	// missTTL is how old the result of discovery has to be before it is fetched again because a kind is missing in it. So rules
	// that name unknown kinds cause few requests.
	missTTL = 2 * time.Second
	// debounce is how old the result of discovery has to be before it is fetched again because CustomResourceDefinitions have
	// changed: they change in bursts.
	debounce = 200 * time.Millisecond
)

// allGroups stands for every API group.
const allGroups = ""

// NewResolver returns a resolver that asks the API server behind the clients.
func NewResolver(client discovery.DiscoveryInterfaceWithContext, registry Registry) *Resolver {
	return &Resolver{
		discovery: memory.NewMemCacheClientWithContext(client), registry: registry, clock: time.Now,
		changed: map[string]time.Time{}, terminating: map[schema.GroupResource]bool{}, hidden: map[schema.GroupKind]hiddenKind{},
	}
}

// DefinitionsChanged has the API server asked again, for it may serve other kinds of the group than before; "" stands for
// all groups.
func (r *Resolver) DefinitionsChanged(group string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	maps.DeleteFunc(r.changed, func(_ string, changed time.Time) bool { return now.Sub(changed) >= propagation })
	r.changed[group], r.stale = now, true
	clear(r.hidden)
}

// SetTerminating notes whether the definition of a resource is being deleted. The API server still takes copies then, and may
// keep one for ever that comes when it has already deleted all objects of the kind.
func (r *Resolver) SetTerminating(resource schema.GroupResource, ending bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.terminating, resource)
	if ending {
		r.terminating[resource] = true
	}
}

// ResetTerminating forgets which definitions are being deleted: what has become of them is not known.
func (r *Resolver) ResetTerminating() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.terminating)
}

// IsPropagating reports whether the API server may not serve the kinds of the group yet as their CustomResourceDefinitions say, so that
// looking again soon may help.
func (r *Resolver) IsPropagating(group string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	return now.Sub(r.changed[group]) < propagation || now.Sub(r.changed[allGroups]) < propagation
}

// Resolve returns the kind that a rule's source is of: in the version that it pins, else in the preferred one. A kind
// that is not served, not namespaced or cannot be copied is a RefusedError; any other error says that nothing is known.
func (r *Resolver) Resolve(ctx context.Context, ref v1.SourceRef) (Kind, error) {
	if ref.Group == corev1.GroupName && ref.Kind == "Event" {
		return Kind{}, &KindError{Message: "an Event of the core group is about an object of its own namespace, so it cannot be projected; " +
			"write group: events.k8s.io for Events that need not be"}
	}
	return r.resolve(ctx, schema.GroupVersionKind{Group: ref.Group, Version: ref.Version, Kind: ref.Kind})
}

// ResolveKind returns the kind in its preferred version.
func (r *Resolver) ResolveKind(ctx context.Context, kind schema.GroupKind) (Kind, error) {
	return r.resolve(ctx, kind.WithVersion(""))
}

// resolve looks a second time before it calls a kind missing: what is remembered may be older than the kind.
func (r *Resolver) resolve(ctx context.Context, wanted schema.GroupVersionKind) (Kind, error) {
	r.invalidate(ctx, func(age time.Duration) bool { return r.stale && age > debounce })
	kind, err := r.lookUp(ctx, wanted)
	if err != nil && r.invalidate(ctx, func(age time.Duration) bool { return age > missTTL }) {
		kind, err = r.lookUp(ctx, wanted)
	}
	if err == nil && r.isTerminating(kind) {
		err = &KindError{Message: fmt.Sprintf("the kind %s is being removed from the API server, and all objects of it with it", kind.Kind)}
	}
	return kind, err
}

func (r *Resolver) isTerminating(kind Kind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.terminating[kind.GroupVersionResource().GroupResource()]
}

// invalidate drops what is cached if it is outdated at its age, and reports whether it did.
func (r *Resolver) invalidate(ctx context.Context, outdated func(age time.Duration) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.discovery.FreshWithContext(ctx) && !outdated(r.clock().Sub(r.fetched)) {
		return false
	}
	r.discovery.InvalidateWithContext(ctx)
	r.fetched, r.stale = r.clock(), false
	return true
}

func (r *Resolver) find(ctx context.Context, wanted schema.GroupVersionKind) (Kind, error) {
	versions, err := r.versions(ctx, wanted)
	if err != nil {
		return Kind{}, err
	}
	for _, version := range versions {
		resources, err := r.discovery.ServerResourcesForGroupVersionWithContext(ctx, version.String())
		if err != nil {
			return Kind{}, fmt.Errorf("discover the kinds of %s: %w", version, err)
		}
		if resource := find(resources, wanted.Kind); resource != nil {
			return newKind(version, resource, wanted.Version != "")
		}
	}
	return Kind{}, missingKind(wanted, versions)
}

// errIncomplete says that discovery proves nothing. Where a path of it is not found, client-go takes that for no groups.
var errIncomplete = errors.New("discover the API groups: those that every API server with rules serves are missing in its answer")

func lists(groups *metav1.APIGroupList, name string) bool {
	return slices.ContainsFunc(groups.Groups, func(group metav1.APIGroup) bool { return group.Name == name })
}

// versions returns where to look for the kind: the version that is wanted, else all of the group, preferred first.
func (r *Resolver) versions(ctx context.Context, wanted schema.GroupVersionKind) ([]schema.GroupVersion, error) {
	groups, err := r.discovery.ServerGroupsWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("discover the API groups: %w", err)
	}
	if !lists(groups, corev1.GroupName) || !lists(groups, v1.GroupVersion.Group) {
		return nil, errIncomplete
	}
	index := slices.IndexFunc(groups.Groups, func(group metav1.APIGroup) bool { return group.Name == wanted.Group })
	if index < 0 {
		return nil, newNotServed("the API server does not serve the group %q; check source.group, or install what provides it", wanted.Group)
	}
	group := groups.Groups[index]
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
