package editors_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/editors"
)

type object = map[string]any

func TestUnstructuredContentEditor(t *testing.T) {
	for name, test := range map[string]struct {
		before object
		edit   func(*editors.UnstructuredContentEditor) error
		after  object
		err    string
	}{
		"set a field": {
			object{"spec": object{"a": "1"}},
			func(e *editors.UnstructuredContentEditor) error { return e.SetNestedField(int64(2), "spec", "b", "c") },
			object{"spec": object{"a": "1", "b": object{"c": int64(2)}}}, "",
		},
		"set a field through something else than a map": {
			object{"spec": "text"},
			func(e *editors.UnstructuredContentEditor) error { return e.SetNestedField("x", "spec", "a") },
			object{"spec": "text"}, "value cannot be set because .spec is not a map[string]interface{}",
		},
		"set no field": {
			object{}, func(e *editors.UnstructuredContentEditor) error { return e.SetNestedField("x") },
			object{}, "no field is named",
		},
		"set what JSON does not know": {
			object{},
			func(e *editors.UnstructuredContentEditor) error {
				return e.SetNestedField([]any{object{"replicas": 3}}, "spec")
			},
			object{}, "field spec.0.replicas cannot hold a int: use int64, float64, string, bool, []any or map[string]any",
		},
		"remove a field": {
			object{"spec": object{"a": "1", "b": "2"}},
			func(e *editors.UnstructuredContentEditor) error {
				e.RemoveNestedField("spec", "a")
				e.RemoveNestedField("spec", "absent", "deeper")
				e.RemoveNestedField()
				return nil
			},
			object{"spec": object{"b": "2"}}, "",
		},
		"set scalars": {
			object{},
			func(e *editors.UnstructuredContentEditor) error {
				return firstError(e.SetNestedString("text", "s"), e.SetNestedBool(true, "b"),
					e.SetNestedInt64(7, "i"), e.SetNestedFloat64(1.5, "f"))
			},
			object{"s": "text", "b": true, "i": int64(7), "f": 1.5}, "",
		},
		"set collections": {
			object{"m": object{"old": "1"}},
			func(e *editors.UnstructuredContentEditor) error {
				return firstError(e.SetNestedStringMap(map[string]string{"a": "1"}, "m"),
					e.SetNestedSlice([]any{"x"}, "l"), e.SetNestedMap(object{"k": nil}, "o"))
			},
			object{"m": object{"a": "1"}, "l": []any{"x"}, "o": object{"k": nil}}, "",
		},
		"set a map of strings nowhere": {
			object{}, func(e *editors.UnstructuredContentEditor) error { return e.SetNestedStringMap(nil) },
			object{}, "no field is named",
		},
		"ensure an entry": {
			object{"m": object{"a": "1"}},
			func(e *editors.UnstructuredContentEditor) error {
				return firstError(e.EnsureNestedStringMapEntry("a", "2", "m"), e.EnsureNestedStringMapEntry("b", "3", "new", "m"))
			},
			object{"m": object{"a": "2"}, "new": object{"m": object{"b": "3"}}}, "",
		},
		"remove an entry": {
			object{"m": object{"a": "1", "b": "2"}, "n": nil},
			func(e *editors.UnstructuredContentEditor) error {
				return firstError(e.RemoveNestedStringMapEntry("a", "m"), e.RemoveNestedStringMapEntry("absent", "m"),
					e.RemoveNestedStringMapEntry("a", "absent"), e.RemoveNestedStringMapEntry("a", "n", "deeper"))
			},
			object{"m": object{"b": "2"}, "n": nil}, "",
		},
		"remove an entry of something else than a map": {
			object{"m": "secret text"},
			func(e *editors.UnstructuredContentEditor) error { return e.RemoveNestedStringMapEntry("a", "m") },
			object{"m": "secret text"}, "field m is a string, not a map",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.edit(editors.NewUnstructuredContentEditor(test.before))
			if test.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, test.err)
			}
			assert.Equal(t, test.after, test.before)
		})
	}
}

func TestEditorCopiesWhatItIsGiven(t *testing.T) {
	content, value := object{}, object{"k": "v"}
	require.NoError(t, editors.NewUnstructuredContentEditor(content).SetNestedMap(value, "m"))
	value["k"] = "changed"
	assert.Equal(t, object{"m": object{"k": "v"}}, content)
}

func TestEditorOfNothingStartsEmpty(t *testing.T) {
	editor := editors.NewUnstructuredContentEditor(nil)
	require.NoError(t, editor.SetNestedString("v", "k"))
	assert.Equal(t, object{"k": "v"}, editor.Raw())
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
