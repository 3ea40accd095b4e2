package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

func TestCopyFollowsItsSource(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	assert.Equal(t, "settings", rule.Status.DestinationName)
	copied := w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.Equal(t, source.Object["data"], copied.Object["data"])
	assert.Equal(t, w.Away+"/settings", copied.GetAnnotations()[v1.AnnotationOwnedByProjection])
	assert.Equal(t, string(rule.UID), copied.GetLabels()[v1.LabelOwnedByProjectionUID])
	assert.Equal(t, w.Away+"/settings", copied.GetAnnotations()[v1.AnnotationPlace])
	assert.Equal(t, "ConfigMap/"+w.Home+"/settings", copied.GetAnnotations()[v1.AnnotationSource])
	assert.NotContains(t, copied.GetAnnotations(), v1.AnnotationProjectable)

	t.Run("an edit", func(t *testing.T) {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	})
	t.Run("a removed key", func(t *testing.T) {
		w.Merge(source, `{"data":{"size":null}}`)
		w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
			_, found, _ := unstructured.NestedString(o.Object, "data", "size")
			return !found
		})
	})
	t.Run("a deleted copy", func(t *testing.T) {
		before := w.Exists(source, w.Away, "settings", fixture.Anything)
		w.Delete(before)
		w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return o.GetUID() != before.GetUID() })
	})
	t.Run("a deleted rule", func(t *testing.T) {
		w.Delete(rule)
		w.gone(source, w.Away, "settings")
	})
}

func TestStatusSaysWhatIsAppliedThoughNothingWasWritten(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	applied := rule.Status.AppliedFields
	require.NotEmpty(t, applied)

	lost := client.RawPatch(types.MergePatchType, []byte(`{"status":{"appliedFields":null}}`))
	require.NoError(t, w.Client.Status().Patch(t.Context(), rule, lost))
	w.Merge(rule, `{"spec":{"destination":{"name":"settings"}}}`) // the same place, said aloud
	w.Ready(rule)
	assert.Equal(t, applied, rule.Status.AppliedFields)
}
