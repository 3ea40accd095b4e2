package sim

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// somebody is the field manager of what a test writes without a request.
const somebody = "somebody"

// CreateNamespace creates a namespace without a request.
func (c *Cluster) CreateNamespace(name string, labels map[string]string) error {
	return c.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}})
}

// Create creates an object without a request.
func (c *Cluster) Create(object runtime.Object) error {
	of, at, err := placeOf(object)
	if err != nil {
		return err
	}
	_, _, err = c.store.write(write{kind: of, at: at, creates: true, change: func(empty runtime.Object, _ bool) (runtime.Object, error) {
		return of.made(empty, object.DeepCopyObject(), somebody), nil
	}})
	return err
}

// Edit changes an object without a request.
func (c *Cluster) Edit(resource schema.GroupVersionResource, at types.NamespacedName, change func(runtime.Object)) error {
	of := kindOf(resource)
	if of == nil {
		return fmt.Errorf("there are no %s", resource)
	}
	w := write{kind: of, at: key{at.Namespace, at.Name}, updates: true}
	w.change = func(present runtime.Object, _ bool) (runtime.Object, error) {
		next := present.DeepCopyObject()
		change(next)
		return of.fields.UpdateNoErrors(present, next, somebody), nil
	}
	_, _, err := c.store.write(w)
	return err
}

// Get returns an object without a request. It must not be changed.
func (c *Cluster) Get(resource schema.GroupVersionResource, at types.NamespacedName) (runtime.Object, error) {
	if of := kindOf(resource); of != nil {
		if found, exists := c.store.get(of, key{at.Namespace, at.Name}); exists {
			return found.object, nil
		}
	}
	return nil, apierrors.NewNotFound(resource.GroupResource(), at.Name)
}

func placeOf(object runtime.Object) (*kind, key, error) {
	versions, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		return nil, key{}, err
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, key{}, err
	}
	for _, of := range kinds {
		if of.gvk() == versions[0] {
			return of, key{accessor.GetNamespace(), accessor.GetName()}, nil
		}
	}
	return nil, key{}, fmt.Errorf("there are no objects of the kind %s", versions[0])
}

// made returns a new object as the API server completes it.
func (k *kind) made(empty, object runtime.Object, manager string) runtime.Object {
	object.GetObjectKind().SetGroupVersionKind(k.gvk())
	setDefaults(object)
	object = k.fields.UpdateNoErrors(empty, object, manager)
	complete(object)
	return object
}

// complete fills in what belongs to no field manager.
func complete(object runtime.Object) {
	if typed, ok := object.(*corev1.Namespace); ok {
		typed.Spec.Finalizers, typed.Status.Phase = []corev1.FinalizerName{corev1.FinalizerKubernetes}, corev1.NamespaceActive
	}
}

// setDefaults fills in what counts as written by the client.
func setDefaults(object runtime.Object) {
	switch typed := object.(type) {
	case *corev1.Namespace:
		if typed.Labels == nil {
			typed.Labels = map[string]string{}
		}
		typed.Labels[corev1.LabelMetadataName] = typed.Name
	case *corev1.Secret:
		typed.Type = cmp.Or(typed.Type, corev1.SecretTypeOpaque)
		for name, value := range typed.StringData {
			if typed.Data == nil {
				typed.Data = map[string][]byte{}
			}
			typed.Data[name] = []byte(value)
		}
		typed.StringData = nil
	}
}
