package rights

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/api/v1alpha1"
)

// Publication is what the operator does in a RemoteCluster for a PublishedResource.
type Publication struct {
	// Direction is Pull in the cluster of a consumer, and Push in that of the service.
	Direction v1alpha1.Direction
	// Kind is that of the published objects there, and Resource as what it is served.
	Kind     schema.GroupKind
	Resource schema.GroupResource
	Spec     v1alpha1.PublishedResourceSpec
}

var (
	definitions = schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}
	events      = schema.GroupResource{Group: "events.k8s.io", Resource: "events"}
	namespaces  = schema.GroupResource{Resource: "namespaces"}
)

// IsWithin reports whether the scope of the RemoteCluster and whom it impersonates permit the publication.
func (p Publication) IsWithin(remote *v1alpha1.RemoteCluster) bool {
	if as := remote.Spec.Impersonate; as != nil && as.PerNamespace != "" { // a PublishedResource has no namespace
		return false
	}
	directions := remote.Spec.Scope.Directions
	return (len(directions) == 0 || slices.Contains(directions, p.Direction)) && isKindWithin(remote.Spec.Scope, p.Kind)
}

// publish adds what the operator needs for the publication.
func (g grants) publish(remote *v1alpha1.RemoteCluster, resolve Resolver, p Publication) {
	g.allow(place{}, rule(definitions, watching...))
	g.allow(place{}, rule(p.Resource, watching...))
	if p.Direction == v1alpha1.Pull {
		g.offer(remote, p)
	} else {
		g.serve(remote, p)
	}
	for _, related := range p.Spec.Related {
		kind := schema.GroupKind{Group: related.Resource.Group, Kind: related.Resource.Kind}
		if isKindWithin(remote.Spec.Scope, kind) {
			isOrigin := (related.Origin == v1alpha1.OriginConsumer) == (p.Direction == v1alpha1.Pull)
			g.relate(remote, p, resolve(kind), isOrigin)
		}
	}
}

// offer adds what it takes to install the definition for consumers, and to bring the status of their objects back.
func (g grants) offer(remote *v1alpha1.RemoteCluster, p Publication) {
	if p.Spec.Definition.Install != v1alpha1.InstallNever {
		g.allow(place{}, rule(definitions, "create", "patch"))
	}
	if p.Spec.Definition.Removal == v1alpha1.RemovalDeleteWhenEmpty {
		g.allow(place{}, rule(definitions, "delete"))
	}
	if p.Spec.Filter.NamespaceSelector != nil {
		g.allow(place{}, rule(namespaces, watching...))
	}
	g.allow(place{}, rule(events, "create"))
	everywhere := []string{metav1.NamespaceAll}
	g.content(remote, everywhere, p.Resource, "get", "patch") // the finalizer
	if p.Spec.Status.Sync != v1alpha1.StatusSyncNever {
		status := schema.GroupResource{Group: p.Resource.Group, Resource: p.Resource.Resource + "/status"}
		g.content(remote, everywhere, status, "patch")
	}
}

// serve adds what it takes to have copies in the cluster of the service. What naming.removeNamespaces needs is not added: to list everything there is.
func (g grants) serve(remote *v1alpha1.RemoteCluster, p Publication) {
	if p.Spec.Naming.CreateNamespaces != v1alpha1.CreateNever {
		g.allow(place{}, rule(namespaces, "create"))
	}
	g.content(remote, namespacesOf(remote), p.Resource, append([]string{"get"}, writing...)...)
}

// relate adds what it takes to copy related objects from there, or to there.
func (g grants) relate(remote *v1alpha1.RemoteCluster, p Publication, resource schema.GroupResource, isOrigin bool) {
	g.allow(place{}, rule(resource, watching...))
	verbs, within := []string{"get"}, []string{metav1.NamespaceAll}
	if !isOrigin {
		verbs = append([]string{"get", "list"}, writing...)
	}
	if p.Direction == v1alpha1.Push {
		within = namespacesOf(remote)
	}
	g.content(remote, within, resource, verbs...)
}

// content adds what is done with whole objects: in the name of a user if the RemoteCluster says so, who does not watch.
func (g grants) content(remote *v1alpha1.RemoteCluster, within []string, resource schema.GroupResource, verbs ...string) {
	as := remote.Spec.Impersonate
	if as == nil {
		verbs = slices.DeleteFunc(slices.Clone(verbs), func(verb string) bool { return slices.Contains(watching, verb) }) // the operator has them
		if len(verbs) == 0 {
			return
		}
		for _, namespace := range within {
			g.allow(place{namespace: namespace}, rule(resource, verbs...))
		}
		return
	}
	g.impersonate(as.User)
	for _, namespace := range within {
		g.allow(place{as.User, namespace}, rule(resource, verbs...))
	}
}
