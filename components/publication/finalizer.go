package publication

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
)

// keepFinalizer has the object of the consumer bear the finalizer, or not.
func (p *pass) keepFinalizer(ctx context.Context, object *unstructured.Unstructured, wanted bool) error {
	finalizers := object.GetFinalizers()
	if slices.Contains(finalizers, v1.FinalizerPublished) == wanted {
		return nil
	}
	if wanted {
		finalizers = append(slices.Clone(finalizers), v1.FinalizerPublished)
	} else {
		finalizers = slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool { return f == v1.FinalizerPublished })
	}
	after, err := p.objects().Patch(p.asConsumer(ctx), object.GetName(), types.MergePatchType, mustMarshal(map[string]any{metadataField: map[string]any{
		"uid": object.GetUID(), "resourceVersion": object.GetResourceVersion(), "finalizers": finalizers,
	}}), metav1.PatchOptions{FieldManager: fieldManager})
	switch {
	case apierr.IsObjectNotFound(err, object.GetName()) && !wanted:
		return nil
	case err != nil:
		return fmt.Errorf("write the finalizer: %w", err)
	}
	object.SetResourceVersion(after.GetResourceVersion())
	p.c.finished(after)
	return nil
}
