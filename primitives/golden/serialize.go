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
// The kind of an object that does not say it comes from the scheme, which may otherwise be nil.
func Serialize(object client.Object, scheme *runtime.Scheme) ([]byte, error) {
	content, err := serialize(object, scheme)
	if err != nil {
		return nil, fmt.Errorf("failed to serialize object to YAML: %w", err)
	}
	return content, nil
}

// SerializeComponent returns the objects as YAML documents in the order given.
func SerializeComponent(objects []client.Object, scheme *runtime.Scheme) ([]byte, error) {
	documents := make([][]byte, 0, len(objects))
	for i, object := range objects {
		document, err := serialize(object, scheme)
		if err != nil {
			return nil, fmt.Errorf("failed to serialize object %d to YAML: %w", i, err)
		}
		documents = append(documents, document)
	}
	return bytes.Join(documents, []byte("---\n")), nil
}

func serialize(object client.Object, scheme *runtime.Scheme) ([]byte, error) {
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

// withKind returns a copy of the object that says its kind.
func withKind(object client.Object, scheme *runtime.Scheme) (client.Object, error) {
	if object == nil {
		return nil, errors.New("the object is nil")
	}
	object = object.DeepCopyObject().(client.Object)
	if !object.GetObjectKind().GroupVersionKind().Empty() {
		return object, nil
	}
	if scheme == nil {
		return nil, fmt.Errorf("the kind of %T is unknown: set its TypeMeta or pass WithScheme", object)
	}
	kinds, _, err := scheme.ObjectKinds(object)
	if err != nil {
		return nil, fmt.Errorf("the kind of %T is unknown: set its TypeMeta or pass WithScheme: %w", object, err)
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
