package networkpolicy

import (
	networkingv1 "k8s.io/api/networking/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a NetworkPolicy.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a NetworkPolicy and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the spec.
type Mutator struct {
	record.Mutator

	spec record.Edits[*editors.NetworkPolicySpecEditor]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *networkingv1.NetworkPolicy) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.spec = record.NewEdits(m.Recorder, editors.NewNetworkPolicySpecEditor(&object.Spec))
	return m
}

// EditNetworkPolicySpec records an edit of the spec. Nil is ignored.
func (m *Mutator) EditNetworkPolicySpec(edit func(*editors.NetworkPolicySpecEditor) error) {
	m.spec.Record(edit)
}
