package service

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a Service.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a Service and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the spec.
type Mutator struct {
	record.Mutator

	spec record.Edits[*editors.ServiceSpecEditor]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *corev1.Service) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.spec = record.NewEdits(m.Recorder, editors.NewServiceSpecEditor(&object.Spec))
	return m
}

// EditServiceSpec records an edit of the spec. Nil is ignored.
func (m *Mutator) EditServiceSpec(edit func(*editors.ServiceSpecEditor) error) { m.spec.Record(edit) }
