package editors

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ObjectMetaEditor edits labels and annotations.
type ObjectMetaEditor struct {
	meta *metav1.ObjectMeta
}

var _ RawEditor[metav1.ObjectMeta] = (*ObjectMetaEditor)(nil)

// NewObjectMetaEditor returns an editor of meta.
func NewObjectMetaEditor(meta *metav1.ObjectMeta) *ObjectMetaEditor {
	return &ObjectMetaEditor{meta: meta}
}

// EnsureLabel sets a label.
func (e *ObjectMetaEditor) EnsureLabel(key, value string) {
	if e.meta.Labels == nil {
		e.meta.Labels = map[string]string{}
	}
	e.meta.Labels[key] = value
}

// RemoveLabel removes a label.
func (e *ObjectMetaEditor) RemoveLabel(key string) {
	delete(e.meta.Labels, key)
}

// EnsureAnnotation sets an annotation.
func (e *ObjectMetaEditor) EnsureAnnotation(key, value string) {
	if e.meta.Annotations == nil {
		e.meta.Annotations = map[string]string{}
	}
	e.meta.Annotations[key] = value
}

// RemoveAnnotation removes an annotation.
func (e *ObjectMetaEditor) RemoveAnnotation(key string) {
	delete(e.meta.Annotations, key)
}

// Raw returns the wrapped metadata.
func (e *ObjectMetaEditor) Raw() *metav1.ObjectMeta { return e.meta }
