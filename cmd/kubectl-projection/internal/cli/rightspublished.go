package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/rights"
)

// listsAll is why nothing is printed for a field of a PublishedResource.
const listsAll = "naming.removeNamespaces has the operator list all objects of a namespace; permit that yourself, or set it to Never"

// publications returns what the operator does in the RemoteCluster for PublishedResources.
func (r *rightsReport) publications(ctx context.Context, cluster *access.Cluster, resolve rights.Resolver) (uses []rights.Publication, err error) {
	all, err := cluster.PublishedResources(ctx)
	if access.IsUnknown(err) {
		r.unknown = append(r.unknown, access.PublishedResources.Resource)
		return nil, nil
	}
	if err := access.Explain(err, "list "+access.PublishedResources.Resource); err != nil {
		return nil, err
	}
	for _, published := range all {
		uses = append(uses, r.publicationsOf(published, resolve)...)
	}
	return uses, nil
}

// publicationsOf returns what the operator does there for one of them: the RemoteCluster may be that of a consumer, of the service, or none of both.
func (r *rightsReport) publicationsOf(published *v1alpha1.PublishedResource, resolve rights.Resolver) (permitted []rights.Publication) {
	var uses []rights.Publication
	service := schema.GroupKind{Group: published.Spec.Service.Resource.Group, Kind: published.Spec.Service.Resource.Kind}
	if access.Selects(published.Spec.Consumers.Clusters, r.remote) {
		uses = append(uses, offerOf(published.Spec, service, resolve))
	}
	if published.Spec.Service.Cluster == r.remote.Name {
		uses = append(uses, rights.Publication{Direction: v1alpha1.Push, Kind: service, Resource: resolve(service), Spec: published.Spec})
		if published.Spec.Naming.RemoveNamespaces == v1alpha1.RemoveWhenEmpty {
			r.leftOut = append(r.leftOut, fmt.Sprintf("PublishedResource %s: %s", published.Name, listsAll))
		}
	}
	for _, use := range uses {
		switch {
		case !use.IsWithin(r.remote):
			r.leftOut = append(r.leftOut, fmt.Sprintf("PublishedResource %s: %s", published.Name, outOfScope))
			continue
		case !slices.Contains(r.published, published.Name):
			r.published = append(r.published, published.Name)
		}
		permitted = append(permitted, use)
	}
	return permitted
}

// offerOf returns what the operator does for a consumer, under the names that spec.projection gives to the kind there.
func offerOf(spec v1alpha1.PublishedResourceSpec, service schema.GroupKind, resolve rights.Resolver) rights.Publication {
	kind := schema.GroupKind{Group: cmp.Or(spec.Projection.Group, service.Group), Kind: cmp.Or(spec.Projection.Kind, service.Kind)}
	plural := spec.Projection.Plural
	switch {
	case plural != "":
	case kind.Kind != service.Kind:
		guessed, _ := meta.UnsafeGuessKindToResource(kind.WithVersion(""))
		plural = guessed.Resource
	default:
		plural = resolve(service).Resource
	}
	return rights.Publication{Direction: v1alpha1.Pull, Kind: kind, Resource: schema.GroupResource{Group: kind.Group, Resource: plural}, Spec: spec}
}
