package editors_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
)

func TestObjectMetaEditor(t *testing.T) {
	meta := &metav1.ObjectMeta{}
	editor := editors.NewObjectMetaEditor(meta)
	assert.Same(t, meta, editor.Raw())

	editor.RemoveLabel("absent")
	editor.RemoveAnnotation("absent")
	assert.Equal(t, metav1.ObjectMeta{}, *meta)

	editor.EnsureLabel("a", "1")
	editor.EnsureLabel("b", "2")
	editor.EnsureLabel("a", "3")
	editor.RemoveLabel("b")
	editor.EnsureAnnotation("c", "4")
	editor.EnsureAnnotation("d", "5")
	editor.RemoveAnnotation("d")

	assert.Equal(t, map[string]string{"a": "3"}, meta.Labels)
	assert.Equal(t, map[string]string{"c": "4"}, meta.Annotations)
}

func TestLastOfLabelsAndAnnotationsTakesTheMapAlong(t *testing.T) {
	meta := &metav1.ObjectMeta{Labels: map[string]string{"a": "1"}, Annotations: map[string]string{"b": "2"}}
	editor := editors.NewObjectMetaEditor(meta)
	editor.RemoveLabel("a")
	editor.RemoveAnnotation("b")
	assert.Equal(t, metav1.ObjectMeta{}, *meta)
}

func TestLabelsAndAnnotationsOfMaps(t *testing.T) {
	meta := &metav1.ObjectMeta{}
	editor := editors.NewObjectMetaEditor(meta)
	editor.DefaultLabels(map[string]string{})
	editor.EnsureAnnotations(nil)
	assert.Equal(t, metav1.ObjectMeta{}, *meta)
	given := map[string]string{"a": "1", "b": "2"}
	editor.EnsureLabels(given)
	editor.EnsureAnnotations(given)
	others := map[string]string{"b": "3", "c": "4"}
	editor.DefaultLabels(others)
	editor.DefaultAnnotations(others)
	want := map[string]string{"a": "1", "b": "2", "c": "4"}
	assert.Equal(t, want, meta.Labels)
	assert.Equal(t, want, meta.Annotations)
	editor.EnsureLabels(others)
	assert.Equal(t, map[string]string{"a": "1", "b": "3", "c": "4"}, meta.Labels)
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, given, "the caller's map stays as it is")
}
