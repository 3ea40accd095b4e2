package editors

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var errNoField = errors.New("no field is named")

// UnstructuredContentEditor edits the content of an object that has no Go type, by the path of a field.
//
// Setters create missing maps on the way and fail if something else than a map is in the way. Values are copied; they
// must consist of what JSON knows: maps with string keys, []any, string, bool, int64, float64 and nil.
type UnstructuredContentEditor struct {
	content map[string]any
}

// NewUnstructuredContentEditor returns an editor of content. A nil map is replaced by an empty one, which Raw returns.
func NewUnstructuredContentEditor(content map[string]any) *UnstructuredContentEditor {
	if content == nil {
		content = map[string]any{}
	}
	return &UnstructuredContentEditor{content: content}
}

// SetNestedField sets the field to a copy of value. A value that JSON does not know is an error.
func (e *UnstructuredContentEditor) SetNestedField(value any, fields ...string) error {
	if len(fields) == 0 {
		return errNoField
	}
	if err := checkJSON(value, fields); err != nil {
		return err
	}
	return unstructured.SetNestedField(e.content, value, fields...)
}

// RemoveNestedField removes the field.
func (e *UnstructuredContentEditor) RemoveNestedField(fields ...string) {
	if len(fields) > 0 {
		unstructured.RemoveNestedField(e.content, fields...)
	}
}

// SetNestedString sets the field to a string.
func (e *UnstructuredContentEditor) SetNestedString(value string, fields ...string) error {
	return e.SetNestedField(value, fields...)
}

// SetNestedBool sets the field to a boolean.
func (e *UnstructuredContentEditor) SetNestedBool(value bool, fields ...string) error {
	return e.SetNestedField(value, fields...)
}

// SetNestedInt64 sets the field to an integer.
func (e *UnstructuredContentEditor) SetNestedInt64(value int64, fields ...string) error {
	return e.SetNestedField(value, fields...)
}

// SetNestedFloat64 sets the field to a floating-point number.
func (e *UnstructuredContentEditor) SetNestedFloat64(value float64, fields ...string) error {
	return e.SetNestedField(value, fields...)
}

// SetNestedStringMap replaces the field by a map of strings.
func (e *UnstructuredContentEditor) SetNestedStringMap(value map[string]string, fields ...string) error {
	if len(fields) == 0 {
		return errNoField
	}
	return unstructured.SetNestedStringMap(e.content, value, fields...)
}

// EnsureNestedStringMapEntry sets one entry of the map at the field and keeps the others.
func (e *UnstructuredContentEditor) EnsureNestedStringMapEntry(key, value string, fields ...string) error {
	return e.SetNestedField(value, append(slices.Clone(fields), key)...)
}

// RemoveNestedStringMapEntry removes one entry of the map at the field. An absent map or entry is no error; anything
// else than a map is.
func (e *UnstructuredContentEditor) RemoveNestedStringMapEntry(key string, fields ...string) error {
	entries := e.content
	for i, field := range fields {
		value, found := entries[field]
		if !found || value == nil {
			return nil
		}
		if entries, found = value.(map[string]any); !found {
			return fmt.Errorf("field %s is a %T, not a map", strings.Join(fields[:i+1], "."), value)
		}
	}
	delete(entries, key)
	return nil
}

// SetNestedSlice replaces the field by a list.
func (e *UnstructuredContentEditor) SetNestedSlice(value []any, fields ...string) error {
	return e.SetNestedField(value, fields...)
}

// SetNestedMap replaces the field by a map.
func (e *UnstructuredContentEditor) SetNestedMap(value map[string]any, fields ...string) error {
	return e.SetNestedField(value, fields...)
}

// Raw returns the wrapped content.
func (e *UnstructuredContentEditor) Raw() map[string]any { return e.content }
