package typed

import (
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
)

// PermanentResource is an integration that a suspension leaves alone.
type PermanentResource[K any, P Pointer[K], M generic.MutatorApplier] struct {
	StaticResource[P, M]

	integration *generic.IntegrationResource[P, M]
}

// ConvergingStatus reports whether the object is usable, given what was done to it.
func (r *PermanentResource[K, P, M]) ConvergingStatus(op concepts.ConvergingOperation) (concepts.OperationalStatusWithReason, error) {
	return r.integration.ConvergingStatus(op)
}

// GraceStatus tells how bad it is that the object has not become usable.
func (r *PermanentResource[K, P, M]) GraceStatus() (concepts.GraceStatusWithReason, error) {
	return r.integration.GraceStatus()
}

// PermanentBuilder builds a PermanentResource.
type PermanentBuilder[K any, P Pointer[K], M generic.MutatorApplier] struct {
	operational[*PermanentBuilder[K, P, M], K, P, M]
}

// NewPermanentBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by
// Build.
func NewPermanentBuilder[K any, P Pointer[K], M generic.MutatorApplier](
	object P, kind Kind[P], newMutator func(P) M,
) *PermanentBuilder[K, P, M] {
	b := &PermanentBuilder[K, P, M]{}
	b.operational = newOperational[*PermanentBuilder[K, P, M], K](b, object, kind, newMutator)
	return b
}

// Build validates and returns the resource.
func (b *PermanentBuilder[K, P, M]) Build() (*PermanentResource[K, P, M], error) {
	integration, err := b.integration.Build()
	if err != nil {
		return nil, err
	}
	return &PermanentResource[K, P, M]{StaticResource: NewStaticResource(&integration.BaseResource), integration: integration}, nil
}
