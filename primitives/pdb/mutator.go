package pdb

import (
	policyv1 "k8s.io/api/policy/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a PodDisruptionBudget.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a PodDisruptionBudget and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the spec.
type Mutator struct {
	record.Mutator

	spec record.Edits[*editors.PodDisruptionBudgetSpecEditor]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *policyv1.PodDisruptionBudget) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.spec = record.NewEdits(m.Recorder, editors.NewPodDisruptionBudgetSpecEditor(&object.Spec))
	return m
}

// EditSpec records an edit of the spec. Nil is ignored.
func (m *Mutator) EditSpec(edit func(*editors.PodDisruptionBudgetSpecEditor) error) {
	m.spec.Record(edit)
}
