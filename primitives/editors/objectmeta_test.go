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
