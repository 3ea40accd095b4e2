package mutations_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/mutations"
)

// twists put a value of an unexpected shape at every field of an object, one after the other.
func twists(value any, replace func(any), visit func()) {
	for _, twist := range []any{nil, "text", int64(7), true, []any{}, []any{nil, "text", []any{}}, map[string]any{}, map[string]any{"a": nil}} {
		replace(twist)
		visit()
	}
	replace(value)
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			twists(value[key], func(twist any) { value[key] = twist }, visit)
		}
	case []any:
		for i := range value {
			twists(value[i], func(twist any) { value[i] = twist }, visit)
		}
	}
}

func TestNoShapePanics(t *testing.T) {
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			in := inputFor(source, byProjection)
			for key, value := range source.Object {
				twists(value, func(twist any) { source.Object[key] = twist }, func() {
					rendered, err := render(in, source)
					require.NoError(t, err)
					require.Equal(t, byProjection.AnnotationValue, rendered.GetAnnotations()[byProjection.AnnotationKey])
				})
			}
		})
	}
}

func TestNoMutationAlonePanics(t *testing.T) {
	for _, hostile := range []map[string]any{
		nil,
		{},
		{"metadata": nil, "spec": nil},
		{"metadata": map[string]any{"labels": "x", "annotations": []any{"y"}}, "spec": []any{}},
		{"metadata": map[string]any{"labels": map[string]any{"a": int64(1)}}, "spec": map[string]any{"ports": "none", "template": int64(3)}},
	} {
		for _, source := range sources(t) {
			in := inputFor(source, byProjection)
			in.Overlay.Labels = map[string]string{"a": "b"}
			for _, name := range mutations.Names() {
				assert.NotPanics(t, func() { _, _ = tryApply(t, name, in, hostile) }, fmt.Sprint(name, " of ", hostile))
			}
		}
	}
}

func TestNilContentBecomesACopyOfNothing(t *testing.T) {
	rendered, err := render(mutations.Input{Stamp: byProjection}, &uns.Unstructured{})
	require.NoError(t, err)
	assert.NotEmpty(t, mutations.ContentHash(rendered))
}
