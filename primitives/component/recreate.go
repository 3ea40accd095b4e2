package component

import (
	"context"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// RecreateOnImmutable has an object deleted that the API server refuses to change, for the next reconcile to create it. It
// is deleted only if the owner controls it and the API server would accept it as a new one: an object that is invalid stays,
// and is an error. Dependents are deleted in the background. Until the object is gone, the resource is blocked.
//
// It is for kinds that hold no data. Build fails for a StatefulSet, PersistentVolumeClaim or PersistentVolume, unless the
// resource is Recreatable.
//
// Example: a new version changes the pod template of a Job.
func RecreateOnImmutable() ResourceOption { return func(c *resourceConfig) { c.recreate = true } }

// Recreatable is a resource of a kind that holds data, and that RecreateOnImmutable may delete nevertheless.
type Recreatable interface {
	// Recreatable reports whether the data may be lost.
	Recreatable() bool
}

func mayRecreate(resource Resource) error {
	if recreatable, ok := resource.(Recreatable); ok && recreatable.Recreatable() {
		return nil
	}
	object, err := resource.Object()
	if err != nil {
		return fmt.Errorf("failed to retrieve object: %w", err)
	}
	if kind := kindWithData(object); kind != "" {
		return fmt.Errorf("resource option RecreateOnImmutable would delete the data of a %s; "+
			"a resource that implements component.Recreatable allows it", kind)
	}
	return nil
}

// kindWithData returns the kind of an object that holds data, or "".
func kindWithData(object client.Object) string {
	switch object.(type) {
	case *appsv1.StatefulSet:
		return "StatefulSet"
	case *corev1.PersistentVolumeClaim:
		return "PersistentVolumeClaim"
	case *corev1.PersistentVolume:
		return "PersistentVolume"
	}
	if kind := object.GetObjectKind().GroupVersionKind().GroupKind(); slices.Contains(kindsWithData(), kind) {
		return kind.Kind // of an object without a Go type
	}
	return ""
}

func kindsWithData() []schema.GroupKind {
	return []schema.GroupKind{{Group: "apps", Kind: "StatefulSet"}, {Kind: "PersistentVolumeClaim"}, {Kind: "PersistentVolume"}}
}

// recreate deletes the object that the API server refuses to change, because of invalid. If it does not, the attempt has
// failed.
func (p *pass) recreate(ctx context.Context, r registration, desired client.Object, attempt visit, invalid error) (visit, error) {
	live := emptyLike(desired)
	if err := p.rec.APIReader.Get(ctx, client.ObjectKeyFromObject(desired), live); err != nil {
		return attempt, errors.Join(invalid, client.IgnoreNotFound(err))
	}
	if controller := metav1.GetControllerOf(live); controller == nil || controller.UID != p.rec.Owner.GetUID() {
		return attempt, invalid
	}
	wait := waiting("waiting for " + r.identity + " to be deleted, since it cannot be changed")
	if live.GetDeletionTimestamp() != nil {
		return wait, nil
	}
	if acceptable, err := p.acceptable(ctx, r, desired); !acceptable {
		return attempt, errors.Join(invalid, err)
	}
	note := fmt.Sprintf("Resource %s deleted to be created again: it cannot be changed", r.identity)
	if err := p.deleteAsSeen(ctx, r, live, note); err != nil {
		return attempt, errors.Join(invalid, err)
	}
	return wait, nil
}

// acceptable reports whether the API server would create the object if there was none of its name, which it checks last.
func (p *pass) acceptable(ctx context.Context, r registration, desired client.Object) (bool, error) {
	content, err := ApplyRequest{Desired: desired, omit: r.omit}.Content()
	if err != nil {
		return false, err
	}
	err = p.rec.Client.Create(ctx, &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}, client.DryRunAll)
	switch {
	case apierrors.IsAlreadyExists(err):
		return true, nil
	case apierrors.IsInvalid(err):
		return false, nil
	default:
		return false, err
	}
}
