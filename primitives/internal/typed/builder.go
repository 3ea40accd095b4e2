// Package typed holds the builders and resources of all kinds. A package of a kind gives them names and adds what it knows
// about the kind.
//
// Type parameters: K is a kind such as appsv1.Deployment, P a pointer to it, M its mutator, and B the builder that embeds
// another one, which the methods return.
package typed

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
)

// Pointer is a pointer to a kind.
type Pointer[K any] interface {
	*K
	client.Object
}

// Kind is what builders know of a kind.
type Kind[P client.Object] struct {
	// Name begins an identity: <apiVersion>/<Kind>.
	Name string
	// ClusterScoped kinds have no namespace.
	ClusterScoped bool
	// Validate finds faults of an object that are the kind's own; nil finds none.
	Validate func(P) error
}

// identity names an object <apiVersion>/<Kind>/<namespace>/<name>, without the namespace for cluster-scoped kinds.
func (k Kind[P]) identity(object P) string {
	if k.ClusterScoped {
		return k.Name + "/" + object.GetName()
	}
	return k.Name + "/" + object.GetNamespace() + "/" + object.GetName()
}

func (k Kind[P]) validate(object P) error {
	if k.Validate == nil {
		return nil
	}
	return k.Validate(object)
}

// Builder is what the builders of all kinds have in common.
type Builder[B any, K any, P Pointer[K], M generic.MutatorApplier] struct {
	base *generic.BaseBuilder[P, M]
	self B
}

// NewBuilder returns the common part of self, which builds with base.
func NewBuilder[B any, K any, P Pointer[K], M generic.MutatorApplier](self B, base *generic.BaseBuilder[P, M]) Builder[B, K, P, M] {
	return Builder[B, K, P, M]{base: base, self: self}
}

// newBuilder is NewBuilder for a kind with a Go type.
func newBuilder[B any, K any, P Pointer[K], M generic.MutatorApplier](
	self B, kind Kind[P], base *generic.BaseBuilder[P, M],
) Builder[B, K, P, M] {
	if kind.ClusterScoped {
		base.MarkClusterScoped()
	}
	return NewBuilder[B, K](self, base)
}

// WithMutation adds mutations in the order given. Their names must be unique within the resource.
func (b *Builder[B, K, P, M]) WithMutation(ms ...generic.Mutation[M]) B {
	b.base.WithMutation(ms...)
	return b.self
}

// WithGuard sets the precondition that is checked before the object is applied; nil removes it. The guard sees a copy of
// the desired object.
func (b *Builder[B, K, P, M]) WithGuard(guard func(K) (concepts.GuardStatusWithReason, error)) B {
	if guard == nil {
		b.base.WithGuard(nil)
		return b.self
	}
	b.base.WithGuard(func(object P) (concepts.GuardStatusWithReason, error) { return guard(*object) })
	return b.self
}

// WithDataExtractor adds a function that is called with a copy of the object as the API server returned it. Several run in
// the order given; nil is ignored.
func (b *Builder[B, K, P, M]) WithDataExtractor(extractor func(K) error) B {
	if extractor != nil {
		b.base.WithDataExtractor(func(object P) error { return extractor(*object) })
	}
	return b.self
}

// WithDataGuard declares that the resource reads the cells and waits until each has a value: until then, neither it nor any
// later resource of its component is touched. An earlier resource has to put a value into each.
func (b *Builder[B, K, P, M]) WithDataGuard(cells ...concepts.DataCell) B {
	b.base.WithDataGuard(cells...)
	return b.self
}

// WithOptionalData declares that the resource reads the cells, and does not wait for their values. An earlier resource has to
// put a value into each.
func (b *Builder[B, K, P, M]) WithOptionalData(cells ...concepts.DataCell) B {
	b.base.WithOptionalData(cells...)
	return b.self
}

// WithMetricsIdentifier names the resource in metrics, where otherwise its kind stands. It tells the resources of one kind in
// one component apart, and must not depend on the owner.
func (b *Builder[B, K, P, M]) WithMetricsIdentifier(identifier string) B {
	b.base.WithMetricsIdentifier(identifier)
	return b.self
}

// ExtractInto declares that the resource that b builds puts a value into the cell. The function is called with a copy of the
// object.
func ExtractInto[V any, B any, K any, P Pointer[K], M generic.MutatorApplier](
	b *Builder[B, K, P, M], cell *concepts.Data[V], fn func(K) (V, error),
) {
	if fn == nil {
		generic.ExtractInto[P, M, V](b.base, cell, nil)
		return
	}
	generic.ExtractInto(b.base, cell, func(object P) (V, error) { return fn(*object) })
}

// Suspension is what the builders of all kinds that can be suspended have in common.
type Suspension[B any, P client.Object, M generic.MutatorApplier] struct {
	base *generic.BaseBuilder[P, M]
	self B
}

// NewSuspension returns that part of self, which builds with base.
func NewSuspension[B any, P client.Object, M generic.MutatorApplier](self B, base *generic.BaseBuilder[P, M]) Suspension[B, P, M] {
	return Suspension[B, P, M]{base: base, self: self}
}

// WithCustomSuspendStatus replaces the handler that tells how far the suspension is. It gets the object as it was returned
// when its suspended form was applied.
func (b *Suspension[B, P, M]) WithCustomSuspendStatus(handler func(P) (concepts.SuspensionStatusWithReason, error)) B {
	b.base.WithCustomSuspendStatus(handler)
	return b.self
}

// WithCustomSuspendMutation replaces the handler that puts the object to rest.
func (b *Suspension[B, P, M]) WithCustomSuspendMutation(handler func(M) error) B {
	b.base.WithCustomSuspendMutation(handler)
	return b.self
}

// WithCustomSuspendDeletionDecision replaces the handler that reports whether the object is deleted once suspended. It is
// asked twice: with the desired object, which has no status, whether to create what is absent in its suspended form (if it is
// to be deleted, it is not created), and once that form was applied, with the object as it was returned, whether to delete it.
//
// Example: func(j *batchv1.Job) bool { return j.Status.Succeeded == 0 } keeps a Job that has succeeded.
func (b *Suspension[B, P, M]) WithCustomSuspendDeletionDecision(handler func(P) bool) B {
	b.base.WithCustomSuspendDeletionDecision(handler)
	return b.self
}
