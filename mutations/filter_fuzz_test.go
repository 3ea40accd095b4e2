package mutations_test

import (
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"projection.sh/operator/mutations"
)

// FuzzContent filters any ConfigMap or Secret by anything: no panic, errors of three types alone, twice the same, and nothing in the copy
// that the filter lacks or excludes. No error quotes a value.
func FuzzContent(f *testing.F) {
	f.Add([]byte(`{"data":{"a":"1","extra-b":"2"},"binaryData":{"c":"AA=="}}`), "a extra-*", "c", "extra-(.*)", "$1", "spec.a", true)
	f.Add([]byte(`{"metadata":{"labels":{"a":"b"}},"data":{"a":"s3cret"}}`), "a", "", "", "", "data", false)
	f.Add([]byte(`{"data":{"a":{}},"binaryData":[]}`), "", "*", "a)|(b", "${2}", "a[0]", false)
	f.Fuzz(func(t *testing.T, encoded []byte, include, exclude, pattern, to, path string, convert bool) {
		var object map[string]any
		if json.Unmarshal(encoded, &object) != nil || object == nil {
			return
		}
		source := &uns.Unstructured{Object: object}
		chosen := mutations.KeyFilter{Include: strings.Fields(include), Exclude: strings.Fields(exclude)}
		in := kind("", "ConfigMap")
		in.Stamp = byProjection
		in.Content = mutations.Content{Labels: chosen, Annotations: chosen, Data: mutations.DataFilter{KeyFilter: chosen}}
		if pattern != "" {
			in.Content.Data.Rename = []mutations.KeyRename{{Pattern: pattern, To: to}}
		}
		if path != "" {
			in.Content.Fields.Exclude = []string{path}
		}
		if convert {
			in.CopyKind = "Secret"
		}
		copied, err := render(in, source)
		if err != nil {
			requireTyped(t, err)
			return
		}
		again, err := render(in, source)
		require.NoError(t, err)
		require.Equal(t, copied, again)
		for key := range copied.GetLabels() {
			require.True(t, chosen.Keeps(key) || key == byProjection.LabelKey, key)
		}
		if pattern == "" {
			for _, key := range keysOf(copied) {
				require.True(t, chosen.Keeps(key), key)
			}
		}
	})
}

func requireTyped(t *testing.T, err error) {
	t.Helper()
	_, input := errors.AsType[*mutations.InputError](err)
	_, missing := errors.AsType[*mutations.MissingKeysError](err)
	_, source := errors.AsType[*mutations.SourceError](err)
	require.True(t, input || missing || source, err)
}

func keysOf(object *uns.Unstructured) []string {
	keys := []string{}
	for _, field := range []string{"data", "binaryData"} {
		entries, _ := object.Object[field].(map[string]any)
		keys = slices.AppendSeq(keys, maps.Keys(entries))
	}
	return keys
}

// No error of a filter quotes a value of the source.
func TestErrorsQuoteNoValue(t *testing.T) {
	const canary = "s3cret"
	value := base64.StdEncoding.EncodeToString([]byte(canary))
	source := &uns.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"a": value, "b": value},
	}}
	for name, in := range map[string]mutations.Input{
		"a missing key":    keys("none", ""),
		"a collision":      keys("", "", "a=c", "b=c"),
		"no key":           keys("", "", "a=c/d"),
		"no expression":    keys("", "", "/(/=c"),
		"no path":          fields(nil, []string{"data["}),
		"no keys by name":  converted("Secret", "ConfigMap", "a", "*"),
		"no kind for that": converted("Secret", "Deployment"),
	} {
		in.Kind, in.Stamp = kind("", "Secret").Kind, byProjection
		_, err := render(in, source)
		require.Error(t, err, name)
		requireTyped(t, err)
		assert.NotContains(t, err.Error(), value, name)
		assert.NotContains(t, err.Error(), canary, name)
	}
}

// Zero filters change nothing: a copy that was made before there were filters has the same hash.
func TestZeroFiltersAreGated(t *testing.T) {
	for _, m := range mutations.ForDestination(mutations.Input{Kind: kind("", "ConfigMap").Kind, Stamp: byProjection}) {
		switch m.Name {
		case mutations.FilterMetadata, mutations.FilterFields, mutations.FilterData, mutations.ConvertKind, mutations.RefuseCredentials:
			enabled, err := m.Feature.Enabled()
			require.NoError(t, err)
			assert.False(t, enabled, m.Name)
		}
	}
}
