package unstructured

import (
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
)

// SuspendableBuilder is what the builders of workload, integration and task have in common. B is the builder that embeds
// it, which its methods return.
type SuspendableBuilder[B any] struct {
	base *generic.BaseBuilder[*uns.Unstructured, *Mutator]
	self B
}

// NewSuspendableBuilder returns the common part of self, which builds with base.
func NewSuspendableBuilder[B any](self B, base *generic.BaseBuilder[*uns.Unstructured, *Mutator]) SuspendableBuilder[B] {
	return SuspendableBuilder[B]{base: base, self: self}
}

// MarkClusterScoped declares that the kind has no namespace. The object then must not have one.
func (b *SuspendableBuilder[B]) MarkClusterScoped() B {
	b.base.MarkClusterScoped()
	b.base.BaseRes.IdentityFunc = MakeIdentityFunc(true)
	return b.self
}

// WithMutation adds mutations in the order given. Their names must be unique within the resource.
func (b *SuspendableBuilder[B]) WithMutation(ms ...Mutation) B {
	for _, m := range ms {
		b.base.WithMutation(feature.Mutation[*Mutator](m))
	}
	return b.self
}

// WithGuard sets the precondition that is checked before the object is applied; nil removes it. The guard sees a copy
// of the desired object.
func (b *SuspendableBuilder[B]) WithGuard(guard func(uns.Unstructured) (concepts.GuardStatusWithReason, error)) B {
	b.base.WithGuard(generic.WrapGuard(guard))
	return b.self
}

// WithDataExtractor adds a function that is called with the object as the API server returned it. Several run in the
// order given; nil is ignored.
func (b *SuspendableBuilder[B]) WithDataExtractor(extractor func(uns.Unstructured) error) B {
	b.base.WithDataExtractor(generic.WrapExtractor(extractor))
	return b.self
}

// WithCustomSuspendStatus replaces the handler that tells how far the suspension is; by default it is at its end.
func (b *SuspendableBuilder[B]) WithCustomSuspendStatus(
	handler func(*uns.Unstructured) (concepts.SuspensionStatusWithReason, error),
) B {
	b.base.WithCustomSuspendStatus(handler)
	return b.self
}

// WithCustomSuspendMutation replaces the handler that puts the object to rest; by default it changes nothing.
func (b *SuspendableBuilder[B]) WithCustomSuspendMutation(handler func(*Mutator) error) B {
	b.base.WithCustomSuspendMutation(handler)
	return b.self
}

// WithCustomSuspendDeletionDecision sets the handler that reports whether the object is deleted once suspended; by default
// it is not.
func (b *SuspendableBuilder[B]) WithCustomSuspendDeletionDecision(handler func(*uns.Unstructured) bool) B {
	b.base.WithCustomSuspendDeletionDecision(handler)
	return b.self
}
