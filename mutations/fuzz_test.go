package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// FuzzPipeline sends any JSON object through the pipeline of any kind: no panic, the same result twice, idempotent, no
// status, no null field, and exactly one owner.
func FuzzPipeline(f *testing.F) {
	for _, source := range sources(f) {
		encoded, err := json.Marshal(source.Object)
		require.NoError(f, err)
		kind := source.GroupVersionKind()
		f.Add(encoded, kind.Group, kind.Kind, "app", "overlaid")
	}
	f.Fuzz(func(t *testing.T, encoded []byte, group, kind, key, value string) {
		var object map[string]any
		if json.Unmarshal(encoded, &object) != nil {
			return
		}
		in := mutations.Input{
			Kind:    schema.GroupKind{Group: group, Kind: kind},
			Stamp:   byProjection,
			Overlay: mutations.Overlay{Labels: map[string]string{key: value}, Annotations: map[string]string{key: value}},
		}
		source := &uns.Unstructured{Object: object}
		copied, err := render(in, source)
		if err != nil { // a credential
			require.Equal(t, schema.GroupKind{Kind: "Secret"}, in.Kind)
			require.ErrorContains(t, err, "is never copied")
			return
		}
		again, err := render(in, source)
		require.NoError(t, err)
		require.Equal(t, copied, again)
		again, err = render(in, copied)
		require.NoError(t, err)
		require.Equal(t, copied, again)
		requireWellFormed(t, copied)
	})
}

func requireWellFormed(t *testing.T, copied *uns.Unstructured) {
	t.Helper()
	require.NotContains(t, copied.Object, "status")
	requireNoNulls(t, copied.Object)
	owners := 0
	for _, key := range []string{v1.AnnotationOwnedByProjection, v1.AnnotationOwnedByClusterProjection} {
		if _, found := copied.GetAnnotations()[key]; found {
			owners++
		}
	}
	require.Equal(t, 1, owners)
	require.NotContains(t, copied.GetAnnotations(), v1.AnnotationProjectable)
	require.Len(t, mutations.ContentHash(copied), 32)
}

func requireNoNulls(t *testing.T, value any) {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		for field, inner := range value {
			require.NotNil(t, inner, field)
			requireNoNulls(t, inner)
		}
	case []any:
		for _, item := range value {
			requireNoNulls(t, item)
		}
	}
}
