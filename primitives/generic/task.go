package generic

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// TaskResource is a resource that runs to completion.
type TaskResource[T client.Object, M MutatorApplier] struct {
	BaseResource[T, M]

	// ConvergingStatusHandler tells how far the task is.
	ConvergingStatusHandler func(concepts.ConvergingOperation, T) (concepts.CompletionStatusWithReason, error)
}

// ConvergingStatus tells how far the task is, given what was done to it.
func (r *TaskResource[T, M]) ConvergingStatus(op concepts.ConvergingOperation) (concepts.CompletionStatusWithReason, error) {
	if r.ConvergingStatusHandler == nil {
		return concepts.CompletionStatusWithReason{}, errConvergingStatusNotConfigured
	}
	return r.ConvergingStatusHandler(op, r.DesiredObject)
}

// TaskBuilder builds a TaskResource.
type TaskBuilder[T client.Object, M MutatorApplier] struct {
	fluentBuilder[*TaskBuilder[T, M], T, M]

	converging func(concepts.ConvergingOperation, T) (concepts.CompletionStatusWithReason, error)
}

// NewTaskBuilder starts a task. It needs a converging status. Faults of the arguments are reported by Build.
func NewTaskBuilder[T client.Object, M MutatorApplier](
	obj T, identityFunc func(T) string, newMutator func(T) M,
) *TaskBuilder[T, M] {
	b := &TaskBuilder[T, M]{}
	b.init(b, obj, identityFunc, newMutator)
	return b
}

// WithCustomConvergeStatus sets the handler that tells how far the task is.
func (b *TaskBuilder[T, M]) WithCustomConvergeStatus(
	handler func(concepts.ConvergingOperation, T) (concepts.CompletionStatusWithReason, error),
) *TaskBuilder[T, M] {
	b.converging = handler
	return b
}

// Build validates and returns the resource.
func (b *TaskBuilder[T, M]) Build() (*TaskResource[T, M], error) {
	if err := b.ValidateBase(); err != nil {
		return nil, err
	}
	if b.converging == nil {
		return nil, errConvergingStatusRequired
	}
	return &TaskResource[T, M]{BaseResource: *b.BaseRes, ConvergingStatusHandler: b.converging}, nil
}
