package source

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
)

const (
	// PageSize is how many sources are listed at a time with their content.
	PageSize = 50
	// MetadataPageSize is how many sources are listed at a time without it.
	MetadataPageSize = 500
)

// Selection are the objects of a kind in a namespace that a selector matches.
type Selection struct {
	Kind
	Namespace string
	Selector  labels.Selector
}

// Page is a part of a list.
type Page struct {
	Objects []unstructured.Unstructured
	// Next continues the list; empty: this is the last page.
	Next string
}

// ListPage returns a page of the selected sources with their content, in the operator's own name. All pages of a list are of one moment, which is
// not before the request for the first. An error that the API server gives as apierrors.IsResourceExpired says that the list has to begin anew.
func (r *Reader) ListPage(ctx context.Context, of Selection, next string) (Page, error) {
	ctx, cancel := context.WithTimeout(impersonate.As(ctx, impersonate.Operator()), readTimeout)
	defer cancel()
	objects := r.content.Resource(of.GroupVersionResource()).Namespace(of.Namespace)
	listed, err := objects.List(ctx, metav1.ListOptions{LabelSelector: of.Selector.String(), Limit: PageSize, Continue: next})
	if err != nil {
		return Page{}, apierr.Redact(of.GroupVersionResource().GroupResource(), err)
	}
	for i := range listed.Items {
		listed.Items[i].SetGroupVersionKind(of.GroupVersionKind)
	}
	return Page{listed.Items, listed.GetContinue()}, nil
}

// ListMetadataPage returns a page of the selected sources without their content. It does otherwise as ListPage does.
func (r *Reader) ListMetadataPage(ctx context.Context, of Selection, next string) (Page, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	objects := r.metadata.Resource(of.GroupVersionResource()).Namespace(of.Namespace)
	listed, err := objects.List(ctx, metav1.ListOptions{LabelSelector: of.Selector.String(), Limit: MetadataPageSize, Continue: next})
	if err != nil {
		return Page{}, apierr.Redact(of.GroupVersionResource().GroupResource(), err)
	}
	page := Page{Objects: make([]unstructured.Unstructured, len(listed.Items)), Next: listed.Continue}
	for i := range listed.Items {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&metav1.PartialObjectMetadata{ObjectMeta: listed.Items[i].ObjectMeta})
		if err != nil {
			return Page{}, fmt.Errorf("read the metadata of a source: %w", err)
		}
		page.Objects[i].Object = fields
		page.Objects[i].SetGroupVersionKind(of.GroupVersionKind)
	}
	return page, nil
}

// SizeOf returns about how many bytes the object takes in memory.
func SizeOf(object *unstructured.Unstructured) int { return sizeOf(object.Object) }
