package pod

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/pods"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a Pod.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a Pod and carries them out with Apply: feature by feature, and within a feature in this order:
// the metadata, the pod spec, which containers there are, what they are like, and the same two for init containers.
type Mutator struct {
	record.Mutator
	pods.PodMutator
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *corev1.Pod) *Mutator {
	base := record.NewMutator(&object.ObjectMeta)
	return &Mutator{Mutator: base, PodMutator: pods.NewPodMutator(base.Recorder, &object.Spec)}
}
