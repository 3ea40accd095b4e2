// Package ingress is the primitive for Ingresses: operational once they have an address. A suspension leaves it as it is.
//
// Some controllers publish no address. Users of such a controller set a handler of their own with WithCustomOperationalStatus and
// WithCustomGraceStatus.
package ingress

import (
	networkingv1 "k8s.io/api/networking/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a Ingress. It is made usable by a controller.
type Resource = generic.IntegrationResource[*networkingv1.Ingress, *Mutator]

var (
	_ concepts.Operational = (*Resource)(nil)
	_ concepts.Graceful    = (*Resource)(nil)
	_ concepts.Suspendable = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder = typed.IntegrationBuilder[networkingv1.Ingress, *networkingv1.Ingress, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *networkingv1.Ingress) *Builder {
	return typed.NewIntegrationBuilder(object, typed.Kind[*networkingv1.Ingress]{Name: "networking.k8s.io/v1/Ingress"}, NewMutator).
		WithCustomOperationalStatus(DefaultOperationalStatusHandler).
		WithCustomGraceStatus(DefaultGraceStatusHandler).
		WithCustomSuspendStatus(DefaultSuspensionStatusHandler).
		WithCustomSuspendMutation(DefaultSuspendMutationHandler).
		WithCustomSuspendDeletionDecision(DefaultDeleteOnSuspendHandler)
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(networkingv1.Ingress) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
