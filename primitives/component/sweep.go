package component

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Sweep deletes objects of these kinds that an earlier version of the operator created for the owner and that no component
// has as a resource, whatever the options of the resource. Such an object has a reference to the owner, and a field that a
// component of the owner's kind manages. It is recognised by the default field manager; one with another field manager, or
// with a default one above 128 bytes, is left alone. Sweep lists metadata only, through rec.APIReader, in the namespace of a
// namespaced owner; a cache must keep managed fields. Dependents are deleted in the background. A kind that is not served
// has no objects. Sweep goes on after errors.
//
// Pass all components of the owner: the objects of a component that is missing are deleted. No components at all, or nil in
// place of one, is an error. A resource that IncludeWhen leaves out is no resource: its object is deleted.
//
// Example: version 2 of an operator no longer has the Service that version 1 made. Its controller calls Sweep with the kind
// Service after all components are reconciled.
func Sweep(ctx context.Context, rec ReconcileContext, kinds []schema.GroupVersionKind, comps ...*Component) error {
	if len(comps) == 0 {
		return errors.New("no components given to sweep")
	}
	rec = rec.withDefaults()
	kept, err := resourcesOf(rec, comps)
	if err != nil {
		return err
	}
	s := sweep{rec: rec, kept: kept}
	var errs []error
	for _, kind := range kinds {
		errs = append(errs, s.kind(ctx, kind))
	}
	return errors.Join(errs...)
}

// objectRef names an object, whatever the version of its kind.
type objectRef struct {
	schema.GroupKind
	client.ObjectKey
}

func refTo(object client.Object) objectRef {
	return objectRef{object.GetObjectKind().GroupVersionKind().GroupKind(), client.ObjectKeyFromObject(object)}
}

// resourcesOf returns the objects of all resources of the components.
func resourcesOf(rec ReconcileContext, comps []*Component) (map[objectRef]bool, error) {
	refs := map[objectRef]bool{}
	for i, comp := range comps {
		if comp == nil {
			return nil, fmt.Errorf("component %d of those given to sweep is nil", i)
		}
		for identity, resource := range comp.byIdentity {
			object, err := resource.Object()
			if err != nil {
				return nil, fmt.Errorf("failed to retrieve object for resource %s: %w", identity, err)
			}
			if err := ensureKind(object, rec.Scheme); err != nil {
				return nil, fmt.Errorf("failed to determine GVK for resource %s: %w", identity, err)
			}
			refs[refTo(object)] = true
		}
	}
	return refs, nil
}

type sweep struct {
	rec  ReconcileContext
	kept map[objectRef]bool
}

func (s sweep) kind(ctx context.Context, kind schema.GroupVersionKind) error {
	objects := &metav1.PartialObjectMetadataList{}
	objects.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	err := s.rec.APIReader.List(ctx, objects, client.InNamespace(s.rec.Owner.GetNamespace()))
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil // the kind is not served
	}
	if err != nil {
		return fmt.Errorf("failed to list %s to sweep: %w", kind.Kind, err)
	}
	var errs []error
	for i := range objects.Items {
		object := &objects.Items[i]
		object.SetGroupVersionKind(kind)
		if s.leftOver(object) {
			errs = append(errs, s.delete(ctx, object))
		}
	}
	return errors.Join(errs...)
}

// leftOver reports whether a component of the owner's kind made the object for the owner, and none has it any more.
func (s sweep) leftOver(object client.Object) bool {
	return object.GetDeletionTimestamp() == nil && hasOwner(object, s.rec.Owner) && !s.kept[refTo(object)] &&
		managedBy(object, func(manager string) bool { return strings.HasPrefix(manager, s.rec.Owner.GetKind()+"/") })
}

func (s sweep) delete(ctx context.Context, object client.Object) error {
	p := &pass{rec: s.rec}
	kind := object.GetObjectKind().GroupVersionKind()
	segments := []string{kind.GroupVersion().String(), kind.Kind}
	if object.GetNamespace() != "" {
		segments = append(segments, object.GetNamespace())
	}
	identity := strings.Join(append(segments, object.GetName()), "/")
	return p.deleteAsSeen(ctx, registration{identity: identity}, object,
		fmt.Sprintf("Resource %s deleted: no component has it", identity))
}
