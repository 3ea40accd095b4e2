package unstructured

import (
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
)

// CommonBuilder is what the builders of static, workload, integration and task have in common. B is the builder that embeds
// it, which its methods return.
type CommonBuilder[B any] struct {
	typed.Builder[B, uns.Unstructured, *uns.Unstructured, *Mutator]

	base *generic.BaseBuilder[*uns.Unstructured, *Mutator]
	self B
}

// NewCommonBuilder returns the common part of self, which builds with base.
func NewCommonBuilder[B any](self B, base *generic.BaseBuilder[*uns.Unstructured, *Mutator]) CommonBuilder[B] {
	return CommonBuilder[B]{Builder: typed.NewBuilder[B, uns.Unstructured](self, base), base: base, self: self}
}

// MarkClusterScoped declares that the kind has no namespace. The object then must not have one.
func (b *CommonBuilder[B]) MarkClusterScoped() B {
	b.base.MarkClusterScoped()
	b.base.BaseRes.IdentityFunc = MakeIdentityFunc(true)
	return b.self
}

// SuspendableBuilder is what the builders of workload, integration and task have in common. By default a suspension changes
// nothing, deletes nothing, and is at its end at once.
type SuspendableBuilder[B any] struct {
	CommonBuilder[B]
	typed.Suspension[B, *uns.Unstructured, *Mutator]
}

// NewSuspendableBuilder returns the common part of self, which builds with base.
func NewSuspendableBuilder[B any](self B, base *generic.BaseBuilder[*uns.Unstructured, *Mutator]) SuspendableBuilder[B] {
	return SuspendableBuilder[B]{CommonBuilder: NewCommonBuilder(self, base), Suspension: typed.NewSuspension(self, base)}
}
