package unstructured

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/lists"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of an object that has no Go type.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of an object and carries them out with Apply: feature by feature, and within a feature first
// the edits of metadata, then those of content, each in the order recorded.
type Mutator struct {
	*record.Recorder

	object   *uns.Unstructured
	metadata *record.Category[func(*editors.ObjectMetaEditor) error]
	content  *record.Category[func(*editors.UnstructuredContentEditor) error]
}

var (
	_ generic.FeatureMutator = (*Mutator)(nil)
	_ editors.ObjectMutator  = (*Mutator)(nil)
)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *uns.Unstructured) *Mutator {
	m := &Mutator{Recorder: &record.Recorder{}, object: object}
	m.metadata = record.NewCategory(m.Recorder, m.applyMetadata)
	m.content = record.NewCategory(m.Recorder, m.applyContent)
	return m
}

// EditObjectMetadata records an edit of labels, annotations and finalizers. Whatever else the edit changes through Raw is
// lost. Nil is ignored.
func (m *Mutator) EditObjectMetadata(edit func(*editors.ObjectMetaEditor) error) {
	if edit != nil {
		m.metadata.Record(edit)
	}
}

// EditContent records an edit of the whole object. Nil is ignored.
func (m *Mutator) EditContent(edit func(*editors.UnstructuredContentEditor) error) {
	if edit != nil {
		m.content.Record(edit)
	}
}

func (m *Mutator) applyMetadata(recorded []func(*editors.ObjectMetaEditor) error) error {
	finalizers := m.object.GetFinalizers()
	meta := &metav1.ObjectMeta{
		Labels: m.object.GetLabels(), Annotations: m.object.GetAnnotations(), Finalizers: slices.Clone(finalizers),
	}
	for _, edit := range recorded {
		if err := edit(editors.NewObjectMetaEditor(meta)); err != nil {
			return err
		}
	}
	m.object.SetLabels(nilIfEmpty(meta.Labels))
	m.object.SetAnnotations(nilIfEmpty(meta.Annotations))
	if !slices.Equal(meta.Finalizers, finalizers) {
		m.object.SetFinalizers(lists.NilIfEmpty(meta.Finalizers))
	}
	return nil
}

func (m *Mutator) applyContent(recorded []func(*editors.UnstructuredContentEditor) error) error {
	for _, edit := range recorded {
		if m.object.Object == nil {
			m.object.Object = map[string]any{}
		}
		if err := edit(editors.NewUnstructuredContentEditor(m.object.Object)); err != nil {
			return err
		}
	}
	return nil
}

// nilIfEmpty keeps an empty map out of the object, where it would be owned as a field of its own.
func nilIfEmpty(values map[string]string) map[string]string {
	if len(values) == 0 {
		return nil
	}
	return values
}
