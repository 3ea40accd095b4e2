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
