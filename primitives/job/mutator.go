package job

import (
	batchv1 "k8s.io/api/batch/v1"

	"projection.sh/operator/primitives"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/pods"
	"projection.sh/operator/primitives/internal/record"
	"projection.sh/operator/primitives/internal/typed"
)

// Mutation is a named change of a Job.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a Job and carries them out with Apply: feature by feature, and within a feature in this order:
// the metadata, the spec, the metadata of the pod template, the pod spec, which containers there are, what they are like, and the same
// two for init containers.
type Mutator struct {
	record.Mutator
	pods.TemplateMutator

	spec record.Edits[*editors.JobSpecEditor]
}

var (
	_ generic.FeatureMutator     = (*Mutator)(nil)
	_ primitives.WorkloadMutator = (*Mutator)(nil)
)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *batchv1.Job) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.spec = record.NewEdits(m.Recorder, editors.NewJobSpecEditor(&object.Spec))
	m.TemplateMutator = pods.NewTemplateMutator(m.Recorder, &object.Spec.Template)
	return m
}

// EditJobSpec records an edit of the spec. Nil is ignored.
func (m *Mutator) EditJobSpec(edit func(*editors.JobSpecEditor) error) { m.spec.Record(edit) }

// LiftMutation turns a mutation that is written for all kinds with a pod template into one for Jobs.
func LiftMutation(m feature.Mutation[primitives.WorkloadMutator]) Mutation {
	return typed.Lift(m, func(m *Mutator) primitives.WorkloadMutator { return m })
}
