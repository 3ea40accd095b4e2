package crash_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// asOfVersion1 applies the copy as the operator did before it stamped the place and the source, and returns it.
func (w *world) asOfVersion1(role string) *unstructured.Unstructured {
	w.T.Helper()
	copied := w.get(w.object("ConfigMap", role, "settings"))
	intent := copied.DeepCopy()
	intent.SetManagedFields(nil)
	intent.SetResourceVersion("")
	intent.SetUID("")
	unstructured.RemoveNestedField(intent.Object, "metadata", "creationTimestamp")
	annotations := maps.Clone(copied.GetAnnotations())
	delete(annotations, v1.AnnotationPlace)
	delete(annotations, v1.AnnotationSource)
	intent.SetAnnotations(annotations)
	manager := client.FieldOwner(copied.GetManagedFields()[0].Manager)
	require.NoError(w.T, w.Client.Apply(w.T.Context(), client.ApplyConfigurationFromUnstructured(intent), manager, client.ForceOwnership))
	before := w.get(copied)
	require.NotContains(w.T, before.GetAnnotations(), v1.AnnotationPlace)
	require.NotContains(w.T, before.GetAnnotations(), v1.AnnotationSource)
	return before
}

func TestCopiesOfVersion1AreInSyncAndStampedByTheNextWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "place", v1.KindClusterProjection)
	sourceAndRule(w)
	first, _ := serve(t, w.lane, "first")
	w.settles()
	require.NoError(t, first.Stop())
	old := []*unstructured.Unstructured{w.asOfVersion1(one), w.asOfVersion1(two)}

	restart := func(user string) {
		mark := fixture.Mark(t, cluster)
		manager, name := serve(t, w.lane, user)
		for _, request := range quiet(t, mark, name, 1) {
			assert.False(t, isWrite(request), "%s: %s", user, request)
		}
		require.NoError(t, manager.Stop())
	}
	restart("second")

	third, _ := serve(t, w.lane, "third")
	w.group(three, true)
	w.settles()
	require.NoError(t, third.Stop())
	stamped := w.get(w.object("ConfigMap", three, "settings"))
	assert.Equal(t, w.name(three)+"/settings", stamped.GetAnnotations()[v1.AnnotationPlace])
	source := "ConfigMap/" + w.name(home) + "/settings"
	assert.Equal(t, source, stamped.GetAnnotations()[v1.AnnotationSource])
	for _, before := range old {
		assert.Equal(t, before, w.get(before), "nobody wrote it")
	}
	restart("fourth") // some are stamped, some are not

	serve(t, w.lane, "fifth")
	w.group(two, false)
	w.settles() // the copy that is no longer wanted is gone, without a place
	w.editSource(`{"data":{"color":"blue"}}`)
	w.settles()
	assert.Equal(t, w.name(one)+"/settings", w.get(old[0]).GetAnnotations()[v1.AnnotationPlace])
	assert.Equal(t, source, w.get(old[0]).GetAnnotations()[v1.AnnotationSource])
}

func TestCopiesOfVersion1GoWithTheirRule(t *testing.T) {
	for _, tier := range bothTiers {
		t.Run(tier, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "place-"+tier, tier)
			sourceAndRule(w)
			first, _ := serve(t, w.lane, "first")
			w.settles()
			require.NoError(t, first.Stop())
			w.asOfVersion1(one)
			w.Delete(w.rule("rule"))
			serve(t, w.lane, "second")
			w.settles()
			assert.Empty(t, w.copies(one))
		})
	}
}
