package primitives_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
)

// logs returns an edit that appends a word to the annotation "log".
func logs(word string) func(*editors.ObjectMetaEditor) error {
	return func(e *editors.ObjectMetaEditor) error {
		e.EnsureAnnotation("log", e.Raw().Annotations["log"]+word)
		return nil
	}
}

func logOf(object client.Object) string { return object.GetAnnotations()["log"] }

func TestMutatorsRunFeatureByFeature(t *testing.T) {
	forEachKind(t, func(t *testing.T, k kind) {
		t.Helper()
		object := k.object()
		m := k.newMutator(object)
		m.EditObjectMetadata(logs("a"))
		m.EditObjectMetadata(nil)
		m.EditObjectMetadata(logs("b"))
		m.NextFeature()
		m.NextFeature()
		m.EditObjectMetadata(logs("c"))
		assert.Empty(t, logOf(object), "nothing happens before Apply")
		require.NoError(t, m.Apply())
		assert.Equal(t, "abc", logOf(object))
		require.NoError(t, m.Apply())
		assert.Equal(t, "abcabc", logOf(object), "a second Apply repeats all edits")
	})
}

func TestFirstErrorEndsApply(t *testing.T) {
	forEachKind(t, func(t *testing.T, k kind) {
		t.Helper()
		object := k.object()
		m := k.newMutator(object)
		m.EditObjectMetadata(logs("a"))
		m.EditObjectMetadata(func(*editors.ObjectMetaEditor) error { return errBoom })
		m.EditObjectMetadata(logs("b"))
		m.NextFeature()
		m.EditObjectMetadata(logs("c"))
		assert.Same(t, errBoom, m.Apply())
		assert.Equal(t, "a", logOf(object))
	})
}

func TestMutationsThatFail(t *testing.T) {
	forEachKind(t, func(t *testing.T, k kind) {
		t.Helper()
		recording := build(t, k, options{mutations: []feature.Mutation[mutator]{
			{Name: "bad", Mutate: func(mutator) error { return errBoom }},
		}})
		_, err := recording.Preview()
		require.EqualError(t, err, "failed to apply mutation intent for bad: boom")
		applying := build(t, k, options{mutations: []feature.Mutation[mutator]{{Name: "bad", Mutate: func(m mutator) error {
			m.EditObjectMetadata(func(*editors.ObjectMetaEditor) error { return errBoom })
			return nil
		}}}})
		require.EqualError(t, applying.Mutate(k.object()), "failed to apply planned mutations: boom")
	})
}

// TestMutationsCanBeShared lets two reconciles use the same mutations at a time. The race detector finds what they share.
func TestMutationsCanBeShared(t *testing.T) {
	forEachKind(t, func(t *testing.T, k kind) {
		t.Helper()
		shared := []feature.Mutation[mutator]{labels("a", "1"), labels("b", "2")}
		var reconciles sync.WaitGroup
		for range 2 {
			reconciles.Go(func() {
				built, err := k.build(k.object(), options{mutations: shared})
				if err != nil {
					t.Error(err)
					return
				}
				preview, err := built.Preview()
				if err != nil {
					t.Error(err)
					return
				}
				assert.Equal(t, map[string]string{"a": "1", "b": "2"}, preview.GetLabels())
			})
		}
		reconciles.Wait()
	})
}
