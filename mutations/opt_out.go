package mutations

import (
	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// stampOptOut opts the copy out, so that no rule copies it further, in whatever mode the operator runs.
//
// Example: the owner of a Secret permits copies in the namespace a. A Projection in b names the copy in a as its source.
func stampOptOut(in Input) unstructured.Mutation {
	return unstructured.Mutation{Name: StampOptOut, Feature: feature.NewBooleanGate(in.OptOut), Mutate: func(m *unstructured.Mutator) error {
		m.EditObjectMetadata(func(e *editors.ObjectMetaEditor) error {
			e.EnsureAnnotation(v1.AnnotationProjectable, v1.ProjectableFalse)
			return nil
		})
		return nil
	}}
}
