package generic

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// fluentBuilder lets the methods of BaseBuilder return the builder B that embeds it.
type fluentBuilder[B any, T client.Object, M MutatorApplier] struct {
	BaseBuilder[T, M]

	self B
}

func (b *fluentBuilder[B, T, M]) init(self B, obj T, identityFunc func(T) string, newMutator func(T) M) {
	b.InitBase(obj, identityFunc, newMutator)
	b.self = self
}

// WithMutation adds mutations in the order given.
func (b *fluentBuilder[B, T, M]) WithMutation(ms ...Mutation[M]) B {
	b.BaseBuilder.WithMutation(ms...)
	return b.self
}

// WithGuard sets the guard; nil removes it.
func (b *fluentBuilder[B, T, M]) WithGuard(guard func(T) (concepts.GuardStatusWithReason, error)) B {
	b.BaseBuilder.WithGuard(guard)
	return b.self
}

// WithDataExtractor adds an extractor; nil is ignored.
func (b *fluentBuilder[B, T, M]) WithDataExtractor(extractor func(T) error) B {
	b.BaseBuilder.WithDataExtractor(extractor)
	return b.self
}

// WithDataGuard declares that the resource reads the cells and waits until each has a value.
func (b *fluentBuilder[B, T, M]) WithDataGuard(cells ...concepts.DataCell) B {
	b.BaseBuilder.WithDataGuard(cells...)
	return b.self
}

// WithOptionalData declares that the resource reads the cells, and does not wait for their values.
func (b *fluentBuilder[B, T, M]) WithOptionalData(cells ...concepts.DataCell) B {
	b.BaseBuilder.WithOptionalData(cells...)
	return b.self
}

// WithMetricsIdentifier names the resource in metrics, where otherwise its kind stands.
func (b *fluentBuilder[B, T, M]) WithMetricsIdentifier(identifier string) B {
	b.BaseBuilder.WithMetricsIdentifier(identifier)
	return b.self
}

// WithCustomSuspendStatus replaces the handler that tells how far the suspension is.
func (b *fluentBuilder[B, T, M]) WithCustomSuspendStatus(handler func(T) (concepts.SuspensionStatusWithReason, error)) B {
	b.BaseBuilder.WithCustomSuspendStatus(handler)
	return b.self
}

// WithCustomSuspendMutation replaces the handler that puts the object to rest.
func (b *fluentBuilder[B, T, M]) WithCustomSuspendMutation(handler func(M) error) B {
	b.BaseBuilder.WithCustomSuspendMutation(handler)
	return b.self
}

// WithCustomSuspendDeletionDecision sets the handler that reports whether the object is deleted once suspended.
func (b *fluentBuilder[B, T, M]) WithCustomSuspendDeletionDecision(handler func(T) bool) B {
	b.BaseBuilder.WithCustomSuspendDeletionDecision(handler)
	return b.self
}
