package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// hands is how many requests the bench makes at a time.
const hands = 50

// api is the bench's own way to the API server.
type api struct {
	dynamic  dynamic.Interface
	metadata metadata.Interface
}

func newAPI(config *rest.Config) (*api, error) {
	d, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	m, err := metadata.NewForConfig(config)
	return &api{dynamic: d, metadata: m}, err
}

// create creates one object.
func (a *api) create(ctx context.Context, resource schema.GroupVersionResource, object *unstructured.Unstructured) error {
	_, err := a.dynamic.Resource(resource).Namespace(object.GetNamespace()).Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create %s %s/%s: %w", resource.Resource, object.GetNamespace(), object.GetName(), err)
	}
	return nil
}

// createNamespace creates a namespace with labels.
func (a *api) createNamespace(ctx context.Context, name string, labels map[string]string) error {
	namespace := &unstructured.Unstructured{}
	namespace.SetAPIVersion("v1")
	namespace.SetKind("Namespace")
	namespace.SetName(name)
	all := map[string]string{ownMark: ""}
	maps.Copy(all, labels)
	namespace.SetLabels(all)
	return a.create(ctx, namespaces, namespace)
}

// edit merges a label or an annotation into the metadata of an object; nil removes it.
func (a *api) edit(ctx context.Context, resource schema.GroupVersionResource, at types.NamespacedName, field, key string, value any) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{field: map[string]any{key: value}}})
	if err != nil {
		return err
	}
	_, err = a.metadata.Resource(resource).Namespace(at.Namespace).Patch(ctx, at.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("edit %s %s: %w", resource.Resource, at, err)
	}
	return nil
}

func (a *api) delete(ctx context.Context, resource schema.GroupVersionResource, at types.NamespacedName) error {
	return a.metadata.Resource(resource).Namespace(at.Namespace).Delete(ctx, at.Name, metav1.DeleteOptions{})
}

// each calls the function with 0 to n-1, many at a time, and returns every error.
func each(n int, do func(int) error) error {
	var group errgroup.Group
	group.SetLimit(hands)
	errs := make([]error, n)
	for i := range n {
		group.Go(func() error {
			errs[i] = do(i)
			return nil
		})
	}
	return errors.Join(group.Wait(), errors.Join(errs...))
}
