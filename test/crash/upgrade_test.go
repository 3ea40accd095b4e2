package crash_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// formerly is the field manager of an operator that knew no server-side apply. No version of this one was such: the tests
// write what it would have left. What version 1 left is in test/upgrade.
const formerly = client.FieldOwner("manager")

// marks are those by which copies are known.
func (w *world) marks(rule *unstructured.Unstructured) (annotations, labels map[string]string) {
	if w.tier == v1.KindProjection {
		return map[string]string{v1.AnnotationOwnedByProjection: rule.GetNamespace() + "/" + rule.GetName()},
			map[string]string{v1.LabelOwnedByProjectionUID: string(rule.GetUID())}
	}
	return map[string]string{v1.AnnotationOwnedByClusterProjection: rule.GetName()},
		map[string]string{v1.LabelOwnedByClusterProjectionUID: string(rule.GetUID())}
}

// copied writes a copy of the source as a former operator did: it created the object, and changed it later.
func (w *world) copied(role, name string) *unstructured.Unstructured {
	w.T.Helper()
	rule := w.rule("rule")
	require.NoError(w.T, w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule))
	annotations, labels := w.marks(rule)
	labels[worldLabel] = w.id
	copied := w.object("ConfigMap", role, name)
	copied.SetAnnotations(annotations)
	copied.SetLabels(labels)
	copied.Object["data"] = map[string]any{"color": "red"}
	require.NoError(w.T, w.Client.Create(w.T.Context(), copied, formerly))
	copied.Object["data"] = map[string]any{"color": "red", "size": "1"}
	require.NoError(w.T, w.Client.Update(w.T.Context(), copied, formerly))
	return copied
}

func TestCopiesOfAFormerOperatorAreTakenOver(t *testing.T) {
	for _, tier := range bothTiers {
		t.Run(tier, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "upgrade-"+tier, tier)
			sourceAndRule(w)
			before := w.copied(one, "settings")
			w.copied(one, "stale")
			w.patch(before.DeepCopy(), `{"metadata":{"labels":{"theirs-team":"core"}},"data":{"theirs-note":"1"}}`)

			serve(t, w.lane, "operator")
			w.settles() // the stale copy is gone, too

			after := w.get(before)
			assert.Equal(t, before.GetUID(), after.GetUID(), "the copy was taken over, not replaced")
			data, _, _ := unstructured.NestedStringMap(after.Object, "data")
			assert.Equal(t, map[string]string{"color": "red", "size": "1", "theirs-note": "1"}, data)

			t.Run("a key that is removed from the source", func(t *testing.T) {
				w.editSource(`{"data":{"size":null}}`)
				w.settles()
			})
			t.Run("what others added stays", func(t *testing.T) {
				after := w.get(before)
				data, _, _ := unstructured.NestedStringMap(after.Object, "data")
				assert.Equal(t, map[string]string{"color": "red", "theirs-note": "1"}, data)
				assert.Equal(t, "core", after.GetLabels()["theirs-team"])
			})
		})
	}
}

func TestTakeoverOfFormerCopiesRewritesNoContentAndIsDoneOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "upgrade-once", v1.KindClusterProjection)
	sourceAndRule(w)
	before := []*unstructured.Unstructured{w.copied(one, "settings"), w.copied(two, "settings")}

	first, _ := serve(t, w.lane, "first")
	w.settles()
	require.NoError(t, first.Stop())
	for _, was := range before {
		is := w.get(was)
		for _, o := range []*unstructured.Unstructured{was, is} {
			annotations := maps.Clone(o.GetAnnotations())
			delete(annotations, v1.AnnotationContentHash)
			delete(annotations, v1.AnnotationPlace)
			delete(annotations, v1.AnnotationSource)
			o.SetAnnotations(annotations)
			o.SetManagedFields(nil)
			o.SetResourceVersion("")
		}
		assert.Equal(t, was.Object, is.Object)
	}

	mark := fixture.Mark(t, cluster)
	_, user := serve(t, w.lane, "second")
	for _, request := range quiet(t, mark, user, 1) {
		assert.False(t, isWrite(request), "%s", request)
	}
}

// TestCopiesRestoredFromABackupAreRewritten covers copies that bear every mark, the content hash included, but were
// written by somebody else: their content is not trusted.
func TestCopiesRestoredFromABackupAreRewritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "restored", v1.KindClusterProjection)
	sourceAndRule(w)
	first, _ := serve(t, w.lane, "first")
	w.settles()
	backup := w.get(w.object("ConfigMap", one, "settings"))
	require.NoError(t, first.Stop())

	w.Delete(backup)
	restored := w.object("ConfigMap", one, "settings")
	restored.SetAnnotations(backup.GetAnnotations())
	restored.SetLabels(backup.GetLabels())
	restored.Object["data"] = map[string]any{"color": "old", "gone": "1"}
	require.NoError(t, w.Client.Create(t.Context(), restored, client.FieldOwner("backup")))
	forget := client.RawPatch(types.MergePatchType, []byte(`{"status":null}`))
	require.NoError(t, w.Client.Status().Patch(t.Context(), w.rule("rule"), forget))

	serve(t, w.lane, "second")
	w.settles()
	assert.Equal(t, restored.GetUID(), w.get(restored).GetUID())
}

func (w *world) get(like *unstructured.Unstructured) *unstructured.Unstructured {
	w.T.Helper()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(like.GroupVersionKind())
	require.NoError(w.T, w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(like), object))
	return object
}
