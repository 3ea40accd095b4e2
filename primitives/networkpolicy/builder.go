// Package networkpolicy is the primitive for NetworkPolicies.
package networkpolicy

import (
	networkingv1 "k8s.io/api/networking/v1"

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
