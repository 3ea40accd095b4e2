package editors

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/internal/lists"
)

// ObjectMetaEditor edits labels and annotations.
type ObjectMetaEditor struct {
	wrapper[metav1.ObjectMeta]
}

var _ RawEditor[metav1.ObjectMeta] = (*ObjectMetaEditor)(nil)

// NewObjectMetaEditor returns an editor of meta.
func NewObjectMetaEditor(meta *metav1.ObjectMeta) *ObjectMetaEditor {
	return &ObjectMetaEditor{wrapper[metav1.ObjectMeta]{meta}}
}

// EnsureLabel sets a label.
func (e *ObjectMetaEditor) EnsureLabel(key, value string) { lists.Set(&e.raw.Labels, key, value) }

// EnsureLabels sets all labels of the map.
func (e *ObjectMetaEditor) EnsureLabels(labels map[string]string) { ensureAll(&e.raw.Labels, labels) }

// DefaultLabels sets those labels of the map that are absent.
//
// Example: a user's labels are set by DefaultLabels after the operator's own, which they cannot replace.
func (e *ObjectMetaEditor) DefaultLabels(labels map[string]string) { defaultAll(&e.raw.Labels, labels) }

// RemoveLabel removes a label.
func (e *ObjectMetaEditor) RemoveLabel(key string) { lists.Unset(&e.raw.Labels, key) }

// EnsureAnnotation sets an annotation.
func (e *ObjectMetaEditor) EnsureAnnotation(key, value string) {
	lists.Set(&e.raw.Annotations, key, value)
}

// EnsureAnnotations sets all annotations of the map.
func (e *ObjectMetaEditor) EnsureAnnotations(annotations map[string]string) {
	ensureAll(&e.raw.Annotations, annotations)
}

// DefaultAnnotations sets those annotations of the map that are absent.
func (e *ObjectMetaEditor) DefaultAnnotations(annotations map[string]string) {
	defaultAll(&e.raw.Annotations, annotations)
}

// RemoveAnnotation removes an annotation.
func (e *ObjectMetaEditor) RemoveAnnotation(key string) { lists.Unset(&e.raw.Annotations, key) }

func ensureAll(entries *map[string]string, values map[string]string) {
	for key, value := range values {
		lists.Set(entries, key, value)
	}
}

func defaultAll(entries *map[string]string, values map[string]string) {
	for key, value := range values {
		if _, found := (*entries)[key]; !found {
			lists.Set(entries, key, value)
		}
	}
}
