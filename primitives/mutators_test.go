package primitives_test

import (
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
		var log []string
		m := k.newMutator(k.object())
		m.EditObjectMetadata(does[*editors.ObjectMetaEditor](&log, "a"))
		m.EditObjectMetadata(func(*editors.ObjectMetaEditor) error { return errBoom })
		m.EditObjectMetadata(does[*editors.ObjectMetaEditor](&log, "b"))
		m.NextFeature()
		m.EditObjectMetadata(does[*editors.ObjectMetaEditor](&log, "c"))
		assert.Same(t, errBoom, m.Apply())
		assert.Equal(t, []string{"a"}, log)
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
