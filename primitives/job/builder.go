// Package job is the primitive for Jobs.
//
// A Job that is suspended is deleted, even if it is finished, and resuming runs it again. A migration that is to run once needs
// WithCustomSuspendDeletionDecision with a handler that returns false. Likewise a finished Job which the control plane deletes
// because of ttlSecondsAfterFinished is run again by the next reconcile.
//
// The pod template of a Job cannot be changed. Put what changes, such as a version, into the name.
package job

import (
	batchv1 "k8s.io/api/batch/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a Job. It runs to completion.
type Resource = generic.TaskResource[*batchv1.Job, *Mutator]

var (
	_ concepts.Completable = (*Resource)(nil)
	_ concepts.Suspendable = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder = typed.TaskBuilder[batchv1.Job, *batchv1.Job, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *batchv1.Job) *Builder {
	return typed.NewTaskBuilder(object, typed.Kind[*batchv1.Job]{Name: "batch/v1/Job"}, NewMutator).
		WithCustomConvergeStatus(DefaultConvergingStatusHandler).
		WithCustomSuspendStatus(DefaultSuspensionStatusHandler).
		WithCustomSuspendMutation(DefaultSuspendMutationHandler).
		WithCustomSuspendDeletionDecision(DefaultDeleteOnSuspendHandler)
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(batchv1.Job) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
