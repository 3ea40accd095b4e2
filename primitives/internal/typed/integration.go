package typed

import (
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
)

// operational is what the builders of resources have in common whose readiness is in the hands of another controller.
type operational[B any, K any, P Pointer[K], M generic.MutatorApplier] struct {
	Builder[B, K, P, M]

	integration *generic.IntegrationBuilder[P, M]
}

func newOperational[B any, K any, P Pointer[K], M generic.MutatorApplier](
	self B, object P, kind Kind[P], newMutator func(P) M,
) operational[B, K, P, M] {
	integration := generic.NewIntegrationBuilder(object, kind.identity, newMutator)
	return operational[B, K, P, M]{Builder: newBuilder[B, K](self, kind, &integration.BaseBuilder), integration: integration}
}

// WithCustomOperationalStatus replaces the handler that reports whether the object is usable. Without one, Build fails.
func (b *operational[B, K, P, M]) WithCustomOperationalStatus(
	handler func(concepts.ConvergingOperation, P) (concepts.OperationalStatusWithReason, error),
) B {
	b.integration.WithCustomOperationalStatus(handler)
	return b.self
}

// WithCustomGraceStatus replaces the handler that tells how bad it is not to have become usable in time.
func (b *operational[B, K, P, M]) WithCustomGraceStatus(handler func(P) (concepts.GraceStatusWithReason, error)) B {
	b.integration.WithCustomGraceStatus(handler)
	return b.self
}

// IntegrationBuilder builds a resource whose readiness is in the hands of another controller.
type IntegrationBuilder[K any, P Pointer[K], M generic.MutatorApplier] struct {
	operational[*IntegrationBuilder[K, P, M], K, P, M]
	Suspension[*IntegrationBuilder[K, P, M], P, M]
}

// NewIntegrationBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by
// Build.
func NewIntegrationBuilder[K any, P Pointer[K], M generic.MutatorApplier](
	object P, kind Kind[P], newMutator func(P) M,
) *IntegrationBuilder[K, P, M] {
	b := &IntegrationBuilder[K, P, M]{}
	b.operational = newOperational[*IntegrationBuilder[K, P, M], K](b, object, kind, newMutator)
	b.Suspension = NewSuspension(b, &b.integration.BaseBuilder)
	return b
}

// Build validates and returns the resource.
func (b *IntegrationBuilder[K, P, M]) Build() (*generic.IntegrationResource[P, M], error) {
	return b.integration.Build()
}
