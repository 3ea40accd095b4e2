package typed

import (
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
)

// WorkloadBuilder builds a resource that runs on and on.
type WorkloadBuilder[K any, P Pointer[K], M generic.MutatorApplier] struct {
	Builder[*WorkloadBuilder[K, P, M], K, P, M]
	Suspension[*WorkloadBuilder[K, P, M], P, M]

	base *generic.WorkloadBuilder[P, M]
}

// NewWorkloadBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by
// Build.
func NewWorkloadBuilder[K any, P Pointer[K], M generic.MutatorApplier](
	object P, kind Kind[P], newMutator func(P) M,
) *WorkloadBuilder[K, P, M] {
	b := &WorkloadBuilder[K, P, M]{base: generic.NewWorkloadBuilder(object, kind.identity, newMutator)}
	b.Builder = newBuilder[*WorkloadBuilder[K, P, M], K](b, kind, &b.base.BaseBuilder)
	b.Suspension = NewSuspension(b, &b.base.BaseBuilder)
	return b
}

// WithCustomConvergeStatus replaces the handler that tells how far the object is. Without one, Build fails.
func (b *WorkloadBuilder[K, P, M]) WithCustomConvergeStatus(
	handler func(concepts.ConvergingOperation, P) (concepts.AliveStatusWithReason, error),
) *WorkloadBuilder[K, P, M] {
	b.base.WithCustomConvergeStatus(handler)
	return b
}

// WithCustomGraceStatus replaces the handler that tells how bad it is not to have converged in time.
func (b *WorkloadBuilder[K, P, M]) WithCustomGraceStatus(
	handler func(P) (concepts.GraceStatusWithReason, error),
) *WorkloadBuilder[K, P, M] {
	b.base.WithCustomGraceStatus(handler)
	return b
}

// Build validates and returns the resource.
func (b *WorkloadBuilder[K, P, M]) Build() (*generic.WorkloadResource[P, M], error) {
	return b.base.Build()
}
