package olm

import (
	"bytes"
	"errors"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// object is one of a manifest.
type object = unstructured.Unstructured

// objectsOf parses a manifest of one or more objects.
func objectsOf(manifest []byte) ([]*object, error) {
	var all []*object
	for decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096); ; {
		next := &object{}
		err := decoder.Decode(&next.Object)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if len(next.Object) > 0 {
			all = append(all, next)
		}
	}
}

// at returns the value at a path of the object; nil if there is none.
func at(o map[string]any, path ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(o, path...)
	return value
}

// text returns the string at a path of the object; empty if there is none.
func text(o map[string]any, path ...string) string {
	value, _ := at(o, path...).(string)
	return value
}

// maps returns the list of objects at a path of the object.
func maps(o map[string]any, path ...string) []map[string]any {
	list, _ := at(o, path...).([]any)
	var all []map[string]any
	for _, item := range list {
		if m, isMap := item.(map[string]any); isMap {
			all = append(all, m)
		}
	}
	return all
}
