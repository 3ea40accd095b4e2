package destination

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// pageSize is how many objects one request lists: thousands of copies with their managedFields are many megabytes.
const pageSize = 500

// ListOwned asks the API server for the objects with the rule's uid in their label, in the rule's namespace if it is confined to
// it. It returns the copies of the rule, and the objects that name no owner: somebody took the annotation off. Foreign objects
// that name a rule are left out. Unlike a watch, the answer is as new as the question.
func (w *Writer) ListOwned(ctx context.Context, set CopySet) (copies, released []Copy, err error) {
	namespace := metav1.NamespaceAll
	if set.Owner.Kind.Namespaced {
		namespace = set.Owner.Namespace
	}
	err = w.list(ctx, set, namespace, labels.Set{set.Owner.Kind.Label: string(set.Owner.UID)}.String(), func(listed *metav1.PartialObjectMetadata) {
		found := Copy{types.NamespacedName{Namespace: listed.Namespace, Name: listed.Name}, stateOf(set.Owner.Kind, listed)}
		switch {
		case mayDelete(set.Owner, listed):
			copies = append(copies, found)
		case !found.namesOwner():
			released = append(released, found)
		}
	})
	return copies, released, err
}

// ListIn asks the API server for all objects in a namespace, and returns those that are copies of the rule. It finds copies that have lost their
// label, whatever their names are.
func (w *Writer) ListIn(ctx context.Context, set CopySet, namespace string) (copies []Copy, err error) {
	err = w.list(ctx, set, namespace, "", func(listed *metav1.PartialObjectMetadata) {
		if mayDelete(set.Owner, listed) {
			at := types.NamespacedName{Namespace: listed.Namespace, Name: listed.Name}
			copies = append(copies, Copy{NamespacedName: at, State: stateOf(set.Owner.Kind, listed)})
		}
	})
	return copies, err
}

// list calls the function with the objects that the selector selects, page by page.
func (w *Writer) list(ctx context.Context, set CopySet, namespace, selector string, each func(*metav1.PartialObjectMetadata)) error {
	return EachPage(func(next string) (*metav1.PartialObjectMetadataList, error) {
		page, err := w.listPage(ctx, set, namespace, metav1.ListOptions{LabelSelector: selector, Limit: pageSize, Continue: next})
		return page, set.redact(err)
	}, each)
}

func (w *Writer) listPage(ctx context.Context, set CopySet, namespace string, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	return w.Metadata.Resource(set.Resource).Namespace(namespace).List(ctx, options)
}

// GetOwned returns the object at a place if it is a copy of the rule, asking the API server. It finds a copy whose label
// somebody took off, which no watch of ours sees.
func (w *Writer) GetOwned(ctx context.Context, set CopySet, at types.NamespacedName) (Copy, bool, error) {
	live, err := w.getMetadata(ctx, set, at)
	if err != nil || live.UID == "" || !mayDelete(set.Owner, live) {
		return Copy{}, false, err
	}
	return Copy{NamespacedName: at, State: stateOf(set.Owner.Kind, live)}, true, nil
}
