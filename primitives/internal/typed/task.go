package typed

import (
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
)

// TaskBuilder builds a resource that runs to completion.
type TaskBuilder[K any, P Pointer[K], M generic.MutatorApplier] struct {
	Builder[*TaskBuilder[K, P, M], K, P, M]
	Suspension[*TaskBuilder[K, P, M], P, M]

	base *generic.TaskBuilder[P, M]
}

// NewTaskBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewTaskBuilder[K any, P Pointer[K], M generic.MutatorApplier](
	object P, kind Kind[P], newMutator func(P) M,
) *TaskBuilder[K, P, M] {
	b := &TaskBuilder[K, P, M]{base: generic.NewTaskBuilder(object, kind.identity, newMutator)}
	b.Builder = newBuilder[*TaskBuilder[K, P, M], K](b, kind, &b.base.BaseBuilder)
	b.Suspension = NewSuspension(b, &b.base.BaseBuilder)
	return b
}

// WithCustomConvergeStatus replaces the handler that tells how far the task is. Without one, Build fails.
func (b *TaskBuilder[K, P, M]) WithCustomConvergeStatus(
	handler func(concepts.ConvergingOperation, P) (concepts.CompletionStatusWithReason, error),
) *TaskBuilder[K, P, M] {
	b.base.WithCustomConvergeStatus(handler)
	return b
}

// Build validates and returns the resource.
func (b *TaskBuilder[K, P, M]) Build() (*generic.TaskResource[P, M], error) { return b.base.Build() }
