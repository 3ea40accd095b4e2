package record

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
)

// Edits is a category of functions that get an editor E.
type Edits[E any] struct {
	category *Category[func(E) error]
}

// NewEdits adds a category whose edits get the editor.
func NewEdits[E any](r *Recorder, editor E) Edits[E] {
	return Edits[E]{NewCategory(r, func(edits []func(E) error) error {
		for _, edit := range edits {
			if err := edit(editor); err != nil {
				return err
			}
		}
		return nil
	})}
}

// Record adds an edit to the feature whose scope is open. Nil is ignored.
func (e Edits[E]) Record(edit func(E) error) {
	if edit != nil {
		e.category.Record(edit)
	}
}

// RecordCall adds an edit that cannot fail.
func (e Edits[E]) RecordCall(edit func(E)) {
	e.category.Record(func(editor E) error {
		edit(editor)
		return nil
	})
}

// Mutator is what the mutators of all kinds have in common. Its first category are the edits of the metadata.
type Mutator struct {
	*Recorder

	metadata Edits[*editors.ObjectMetaEditor]
}

var _ editors.ObjectMutator = Mutator{}

// NewMutator returns a mutator of the object that has this metadata.
func NewMutator(metadata *metav1.ObjectMeta) Mutator {
	r := &Recorder{}
	return Mutator{Recorder: r, metadata: NewEdits(r, editors.NewObjectMetaEditor(metadata))}
}

// EditObjectMetadata records an edit of the metadata. Nil is ignored.
func (m Mutator) EditObjectMetadata(edit func(*editors.ObjectMetaEditor) error) {
	m.metadata.Record(edit)
}
