package mutations

import (
	"errors"
	"fmt"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/unstructured"
)

// ErrNoOwner means that a copy would have been rendered without the annotation that names its owner.
var ErrNoOwner = errors.New("the stamp names no owner")

// stampOwnership marks the copy from its first byte. A copy without an owner is refused: nobody would ever remove it.
func stampOwnership(stamp Stamp) unstructured.Mutation {
	return unstructured.Mutation{Name: StampOwnership, Mutate: func(m *unstructured.Mutator) error {
		if stamp.AnnotationKey == "" || stamp.AnnotationValue == "" {
			return fmt.Errorf("%s: %w", StampOwnership, ErrNoOwner)
		}
		m.EditObjectMetadata(func(e *editors.ObjectMetaEditor) error {
			e.EnsureAnnotation(stamp.AnnotationKey, stamp.AnnotationValue)
			if stamp.LabelKey != "" {
				e.EnsureLabel(stamp.LabelKey, stamp.LabelValue)
			}
			return nil
		})
		return nil
	}}
}
