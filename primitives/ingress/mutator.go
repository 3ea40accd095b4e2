package ingress

import (
	networkingv1 "k8s.io/api/networking/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of an Ingress.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of an Ingress and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the spec.
type Mutator struct {
	record.Mutator

	spec record.Edits[*editors.IngressSpecEditor]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *networkingv1.Ingress) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.spec = record.NewEdits(m.Recorder, editors.NewIngressSpecEditor(&object.Spec))
	return m
}

// EditIngressSpec records an edit of the spec. Nil is ignored.
func (m *Mutator) EditIngressSpec(edit func(*editors.IngressSpecEditor) error) { m.spec.Record(edit) }
