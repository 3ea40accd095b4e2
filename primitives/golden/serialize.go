package golden

import (
	"bytes"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// Serialize returns the object as YAML with sorted keys, without its creation timestamp and without an empty status.
// The kind and version of an object that lacks one of them come from the scheme, which may otherwise be nil.
func Serialize(object client.Object, scheme *runtime.Scheme) ([]byte, error) {
	object, err := withKind(object, scheme)
	if err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	if isEmpty(content["status"]) {
		delete(content, "status")
	}
	return yaml.Marshal(content)
}

// SerializeComponent returns the objects as YAML documents in the order given.
func SerializeComponent(objects []client.Object, scheme *runtime.Scheme) ([]byte, error) {
	documents := make([][]byte, 0, len(objects))
	for i, object := range objects {
		document, err := Serialize(object, scheme)
		if err != nil {
			return nil, fmt.Errorf("failed to serialize object %d to YAML: %w", i, err)
		}
		documents = append(documents, document)
	}
	return bytes.Join(documents, []byte("---\n")), nil
}

// withKind returns a copy of the object that says its kind.
func withKind(object client.Object, scheme *runtime.Scheme) (client.Object, error) {
	if object == nil {
		return nil, errors.New("the object is nil")
	}
	object = object.DeepCopyObject().(client.Object)
	gvk := object.GetObjectKind().GroupVersionKind()
	if gvk.Kind != "" && gvk.Version != "" {
		return object, nil
	}
	if scheme == nil {
		return nil, fmt.Errorf("object %T has incomplete TypeMeta (kind=%q, apiVersion=%q) and no scheme was provided; "+
			"either set TypeMeta on the object or pass golden.WithScheme(scheme)", object, gvk.Kind, gvk.GroupVersion().String())
	}
	kinds, _, err := scheme.ObjectKinds(object) // at least one, if there is no error
	if err != nil {
		return nil, fmt.Errorf("failed to look up GVK for %T in scheme: %w", object, err)
	}
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	return object, nil
}

// isEmpty reports whether a value holds nothing but empty maps.
func isEmpty(value any) bool {
	fields, ok := value.(map[string]any)
	if !ok {
		return value == nil
	}
	for _, field := range fields {
		if !isEmpty(field) {
			return false
		}
	}
	return true
}
