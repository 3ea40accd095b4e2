// Package networkpolicy is the primitive for NetworkPolicies.
package networkpolicy

import (
	networkingv1 "k8s.io/api/networking/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a NetworkPolicy. It is ready as soon as it is applied, and left alone by a suspension.
type Resource = typed.StaticResource[*networkingv1.NetworkPolicy, *Mutator]

// Builder builds a Resource.
type Builder = typed.StaticBuilder[networkingv1.NetworkPolicy, *networkingv1.NetworkPolicy, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *networkingv1.NetworkPolicy) *Builder {
	return typed.NewStaticBuilder(object, typed.Kind[*networkingv1.NetworkPolicy]{Name: "networking.k8s.io/v1/NetworkPolicy"}, NewMutator)
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(networkingv1.NetworkPolicy) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
