package ingress

import (
	"slices"

	networkingv1 "k8s.io/api/networking/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/health"
)

// DefaultOperationalStatusHandler reports whether an Ingress is usable. It is once it has an
// address.
func DefaultOperationalStatusHandler(_ concepts.ConvergingOperation, object *networkingv1.Ingress) (concepts.OperationalStatusWithReason, error) {
	return verdictOn(object).Operational()
}

// DefaultGraceStatusHandler tells how bad it is that an Ingress is not usable. Without an address it is degraded.
func DefaultGraceStatusHandler(object *networkingv1.Ingress) (concepts.GraceStatusWithReason, error) {
	return verdictOn(object).Grace()
}

func verdictOn(object *networkingv1.Ingress) health.Verdict {
	if slices.ContainsFunc(object.Status.LoadBalancer.Ingress, hasAddress) {
		return health.Usable("Ingress has been assigned an address")
	}
	return health.Pending("Awaiting load balancer address assignment")
}

func hasAddress(ingress networkingv1.IngressLoadBalancerIngress) bool {
	return ingress.IP != "" || ingress.Hostname != ""
}

// DefaultSuspendMutationHandler changes nothing.
func DefaultSuspendMutationHandler(*Mutator) error { return nil }

// DefaultSuspensionStatusHandler is at the end: a suspension leaves an Ingress as it is.
func DefaultSuspensionStatusHandler(*networkingv1.Ingress) (concepts.SuspensionStatusWithReason, error) {
	return health.Suspended("Ingress suspended (backend unavailable)")
}

// DefaultDeleteOnSuspendHandler reports that an Ingress is not deleted when it is suspended.
func DefaultDeleteOnSuspendHandler(*networkingv1.Ingress) bool { return false }
