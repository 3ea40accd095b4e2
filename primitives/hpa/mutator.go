package hpa

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a HorizontalPodAutoscaler.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a HorizontalPodAutoscaler and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the spec.
type Mutator struct {
	record.Mutator

	spec record.Edits[*editors.HPASpecEditor]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *autoscalingv2.HorizontalPodAutoscaler) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.spec = record.NewEdits(m.Recorder, editors.NewHPASpecEditor(&object.Spec))
	return m
}

// EditHPASpec records an edit of the spec. Nil is ignored.
func (m *Mutator) EditHPASpec(edit func(*editors.HPASpecEditor) error) { m.spec.Record(edit) }
