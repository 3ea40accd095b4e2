package unstructured

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
)

// Mutation is a named change of an object that has no Go type.
type Mutation feature.Mutation[*Mutator]

// Mutator records edits of an object and carries them out with Apply: feature by feature, and within a feature first
// the edits of metadata, then those of content, each in the order recorded.
type Mutator struct {
	object   *uns.Unstructured
	features []edits
}

type edits struct {
	metadata []func(*editors.ObjectMetaEditor) error
	content  []func(*editors.UnstructuredContentEditor) error
}

var (
	_ generic.FeatureMutator = (*Mutator)(nil)
	_ editors.ObjectMutator  = (*Mutator)(nil)
)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *uns.Unstructured) *Mutator {
	return &Mutator{object: object, features: make([]edits, 1)}
}

// NextFeature opens the scope of the next feature. A scope without edits is used again.
func (m *Mutator) NextFeature() {
	if current := m.current(); len(current.metadata)+len(current.content) > 0 {
		m.features = append(m.features, edits{})
	}
}

// EditObjectMetadata records an edit of labels and annotations. Whatever else the edit changes through Raw is lost.
// Nil is ignored.
func (m *Mutator) EditObjectMetadata(edit func(*editors.ObjectMetaEditor) error) {
	if edit != nil {
		current := m.current()
		current.metadata = append(current.metadata, edit)
	}
}

// EditContent records an edit of the whole object. Nil is ignored.
func (m *Mutator) EditContent(edit func(*editors.UnstructuredContentEditor) error) {
	if edit != nil {
		current := m.current()
		current.content = append(current.content, edit)
	}
}

// Apply carries out the recorded edits. The first error ends it and is returned as it is.
func (m *Mutator) Apply() error {
	for _, feature := range m.features {
		if err := m.applyMetadata(feature.metadata); err != nil {
			return err
		}
		if err := m.applyContent(feature.content); err != nil {
			return err
		}
	}
	return nil
}

func (m *Mutator) applyMetadata(recorded []func(*editors.ObjectMetaEditor) error) error {
	if len(recorded) == 0 {
		return nil
	}
	meta := &metav1.ObjectMeta{Labels: m.object.GetLabels(), Annotations: m.object.GetAnnotations()}
	for _, edit := range recorded {
		if err := edit(editors.NewObjectMetaEditor(meta)); err != nil {
			return err
		}
	}
	m.object.SetLabels(nilIfEmpty(meta.Labels))
	m.object.SetAnnotations(nilIfEmpty(meta.Annotations))
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

func (m *Mutator) current() *edits { return &m.features[len(m.features)-1] }

// nilIfEmpty keeps an empty map out of the object, where it would be owned as a field of its own.
func nilIfEmpty(values map[string]string) map[string]string {
	if len(values) == 0 {
		return nil
	}
	return values
}
