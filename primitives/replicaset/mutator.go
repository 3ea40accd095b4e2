package replicaset

import (
	appsv1 "k8s.io/api/apps/v1"

	"projection.sh/operator/primitives"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/pods"
	"projection.sh/operator/primitives/internal/record"
	"projection.sh/operator/primitives/internal/typed"
)

// Mutation is a named change of a ReplicaSet.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a ReplicaSet and carries them out with Apply: feature by feature, and within a feature in this order:
// the metadata, the spec, the metadata of the pod template, the pod spec, which containers there are, what they are like, and the same
// two for init containers.
type Mutator struct {
	record.Mutator
	pods.TemplateMutator

	spec record.Edits[*editors.ReplicaSetSpecEditor]
}

var (
	_ generic.FeatureMutator     = (*Mutator)(nil)
	_ primitives.WorkloadMutator = (*Mutator)(nil)
)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *appsv1.ReplicaSet) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.spec = record.NewEdits(m.Recorder, editors.NewReplicaSetSpecEditor(&object.Spec))
	m.TemplateMutator = pods.NewTemplateMutator(m.Recorder, &object.Spec.Template)
	return m
}

// EditReplicaSetSpec records an edit of the spec. Nil is ignored.
func (m *Mutator) EditReplicaSetSpec(edit func(*editors.ReplicaSetSpecEditor) error) {
	m.spec.Record(edit)
}

// EnsureReplicas sets how many pods there are.
func (m *Mutator) EnsureReplicas(replicas int32) {
	m.spec.RecordCall(func(e *editors.ReplicaSetSpecEditor) { e.SetReplicas(replicas) })
}

// LiftMutation turns a mutation that is written for all kinds with a pod template into one for ReplicaSets.
func LiftMutation(m feature.Mutation[primitives.WorkloadMutator]) Mutation {
	return typed.Lift(m, func(m *Mutator) primitives.WorkloadMutator { return m })
}
