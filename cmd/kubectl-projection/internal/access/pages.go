package access

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/pager"
)

// PageSize is how many objects a list has at a time.
const PageSize = 500

// EachMetadata calls the function with the metadata of each object of a list, page by page.
func (c *Cluster) EachMetadata(
	ctx context.Context, resource schema.GroupVersionResource, namespace string, options metav1.ListOptions, do func(*metav1.PartialObjectMetadata) error,
) error {
	objects := c.Metadata.Resource(resource).Namespace(namespace)
	return each(ctx, options, func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return objects.List(ctx, options)
	},
		func(object runtime.Object) error { return do(object.(*metav1.PartialObjectMetadata)) })
}

// EachObject calls the function with each object of a list, page by page.
func (c *Cluster) EachObject(
	ctx context.Context, resource schema.GroupVersionResource, namespace string, options metav1.ListOptions, do func(*unstructured.Unstructured) error,
) error {
	objects := c.Content.Resource(resource).Namespace(namespace)
	return each(ctx, options, func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return objects.List(ctx, options)
	},
		func(object runtime.Object) error { return do(object.(*unstructured.Unstructured)) })
}

func each(
	ctx context.Context, options metav1.ListOptions, list func(context.Context, metav1.ListOptions) (runtime.Object, error), do func(runtime.Object) error,
) error {
	pages := pager.New(list)
	pages.PageSize, pages.PageBufferSize = PageSize, 1
	return pages.EachListItem(ctx, options, do)
}

// ObjectMetadata returns the metadata of an object; nil if it does not exist.
func (c *Cluster) ObjectMetadata(ctx context.Context, resource schema.GroupVersionResource, at types.NamespacedName) (*metav1.PartialObjectMetadata, error) {
	found, err := c.Metadata.Resource(resource).Namespace(at.Namespace).Get(ctx, at.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // nothing is there
	}
	return found, err
}
