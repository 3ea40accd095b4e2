package access

import (
	"cmp"
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"projection.sh/operator/api/v1alpha1"
)

// PublishedResources is the resource as which PublishedResources are served.
var PublishedResources = v1alpha1.GroupVersion.WithResource("publishedresources")

// PublishedResources lists all PublishedResources, in the order of their names. There are none if the API server does not know them. An error may be
// IsUnknown.
func (c *Cluster) PublishedResources(ctx context.Context) (all []*v1alpha1.PublishedResource, err error) {
	err = c.EachObject(ctx, PublishedResources, "", metav1.ListOptions{}, func(object *unstructured.Unstructured) error {
		object.SetManagedFields(nil)
		published := &v1alpha1.PublishedResource{}
		all = append(all, published)
		return runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, published)
	})
	slices.SortFunc(all, func(a, b *v1alpha1.PublishedResource) int { return cmp.Compare(a.Name, b.Name) })
	if apierrors.IsNotFound(err) && !hasName(err) {
		return nil, nil
	}
	return all, err
}
