package watch

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NewNamespace returns an empty namespace to ask the cache with, which holds the metadata of namespaces.
func NewNamespace() *metav1.PartialObjectMetadata {
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	return namespace
}

// NewNamespaceList returns an empty list to ask the cache with.
func NewNamespaceList() *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	return list
}

// NamespaceLabels returns the labels of a namespace, and whether the cache knows the namespace.
func NamespaceLabels(ctx context.Context, reader client.Reader, name string) (labels map[string]string, known bool, err error) {
	namespace := NewNamespace()
	err = reader.Get(ctx, client.ObjectKey{Name: name}, namespace, &client.GetOptions{UnsafeDisableDeepCopy: new(true)})
	if apierrors.IsNotFound(err) {
		return nil, false, nil
	}
	return namespace.Labels, err == nil, err
}

// Namespaces calls the function when a namespace is created, deleted, or begins to be deleted, and when its labels or annotations change; with
// nil for what there is not. Before the cache is synced it calls nobody, since every rule is reconciled when the operator starts.
func Namespaces(ctx context.Context, informers cache.Informers, changed func(before, after metav1.Object)) error {
	informer, err := informers.GetInformer(ctx, NewNamespace(), cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watch the namespaces: %w", err)
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(added any, initial bool) {
			if namespace := namespaceOf(added); namespace != nil && !initial {
				changed(nil, namespace)
			}
		},
		UpdateFunc: func(before, after any) {
			if before, after := namespaceOf(before), namespaceOf(after); before != nil && after != nil && !sameNamespace(before, after) {
				changed(before, after)
			}
		},
		DeleteFunc: func(deleted any) {
			if namespace := namespaceOf(deleted); namespace != nil {
				changed(namespace, nil)
			}
		},
	})
	return err
}

// sameNamespace reports whether the namespaces do not differ in what decides about copies.
func sameNamespace(before, after metav1.Object) bool {
	return maps.Equal(before.GetLabels(), after.GetLabels()) && maps.Equal(before.GetAnnotations(), after.GetAnnotations()) &&
		(before.GetDeletionTimestamp() == nil) == (after.GetDeletionTimestamp() == nil)
}

// namespaceOf returns the metadata of what an informer hands out, nil if there is none.
func namespaceOf(object any) metav1.Object {
	if last, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	namespace, _ := object.(metav1.Object)
	return namespace
}
