package editors_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"

	"projection.sh/operator/primitives/editors"
)

// FuzzUnstructuredContentEditor edits any JSON object at any path: no panic; what was set is there, what was removed is
// not, and an edit that fails changes nothing.
func FuzzUnstructuredContentEditor(f *testing.F) {
	for _, content := range []string{`{}`, `null`, `{"a":{"b":{"c":"d"}}}`, `{"a":null}`, `{"a":[{"b":1}]}`, `{"a":"text"}`, `{"a":{"b":true}}`, `{"":{"":1.5}}`} {
		for _, path := range []string{"a", "a.b", "a.b.c", "", ".", "x.y"} {
			f.Add([]byte(content), path, "value")
		}
	}
	f.Fuzz(func(t *testing.T, encoded []byte, path, value string) {
		var content map[string]any
		if json.Unmarshal(encoded, &content) != nil {
			return
		}
		fields := strings.Split(path, ".")
		editor := editors.NewUnstructuredContentEditor(content)
		edits := map[string]func() error{
			"string": func() error { return editor.SetNestedString(value, fields...) },
			"map":    func() error { return editor.SetNestedMap(map[string]any{value: value}, fields...) },
			"slice":  func() error { return editor.SetNestedSlice([]any{value, nil}, fields...) },
			"entry":  func() error { return editor.EnsureNestedStringMapEntry(value, value, fields...) },
			"unset":  func() error { return editor.RemoveNestedStringMapEntry(value, fields...) },
		}
		for _, name := range []string{"string", "unset", "map", "entry", "unset", "slice"} {
			before := runtime.DeepCopyJSON(editor.Raw())
			if edits[name]() != nil {
				require.Equal(t, before, editor.Raw(), name)
			}
		}
		editor.RemoveNestedField(fields...)
		requireAbsent(t, editor.Raw(), fields)
	})
}

// requireAbsent checks that the path leads nowhere, or to something that is no map.
func requireAbsent(t *testing.T, content map[string]any, fields []string) {
	t.Helper()
	for _, field := range fields[:len(fields)-1] {
		inner, ok := content[field].(map[string]any)
		if !ok {
			return
		}
		content = inner
	}
	require.NotContains(t, content, fields[len(fields)-1])
}
