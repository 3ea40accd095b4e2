package destination

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// ListOwned asks the API server for the copies of the rule: by the label with its uid, in the rule's namespace if it is
// confined to it. Foreign objects that bear its marks are left out. Unlike a watch, the answer is as new as the question.
func (w *Writer) ListOwned(ctx context.Context, set CopySet) ([]Copy, error) {
	namespace := metav1.NamespaceAll
	if set.Owner.Kind.Namespaced {
		namespace = set.Owner.Namespace
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	list, err := w.Metadata.Resource(set.Resource).Namespace(namespace).List(ctx, metav1.ListOptions{
		LabelSelector: labels.Set{set.Owner.Kind.Label: string(set.Owner.UID)}.String(),
	})
	if err != nil {
		return nil, set.redact(err)
	}
	var copies []Copy
	for i := range list.Items {
		if found := &list.Items[i]; mayDelete(set.Owner, found) {
			at := types.NamespacedName{Namespace: found.Namespace, Name: found.Name}
			copies = append(copies, Copy{NamespacedName: at, State: stateOf(set.Owner.Kind, found)})
		}
	}
	return copies, nil
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
