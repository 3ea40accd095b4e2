package service

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/health"
)

// DefaultOperationalStatusHandler reports whether a Service is usable. It is, unless it is of type
// LoadBalancer and has no address.
func DefaultOperationalStatusHandler(_ concepts.ConvergingOperation, object *corev1.Service) (concepts.OperationalStatusWithReason, error) {
	return verdictOn(object).Operational()
}

// DefaultGraceStatusHandler tells how bad it is that a Service is not usable. Without an address it is degraded.
func DefaultGraceStatusHandler(object *corev1.Service) (concepts.GraceStatusWithReason, error) {
	return verdictOn(object).Grace()
}

func verdictOn(object *corev1.Service) health.Verdict {
	switch {
	case object.Spec.Type != corev1.ServiceTypeLoadBalancer:
		return health.Usable("Service is operational").ByGrace("Service is healthy")
	case slices.ContainsFunc(object.Status.LoadBalancer.Ingress, hasAddress):
		return health.Usable("Load balancer IP/hostname assigned")
	default:
		return health.Pending("Awaiting load balancer IP/hostname assignment")
	}
}

func hasAddress(ingress corev1.LoadBalancerIngress) bool {
	return ingress.IP != "" || ingress.Hostname != ""
}

// DefaultSuspendMutationHandler changes nothing.
func DefaultSuspendMutationHandler(*Mutator) error { return nil }

// DefaultSuspensionStatusHandler is at the end: a suspension leaves a Service as it is.
func DefaultSuspensionStatusHandler(*corev1.Service) (concepts.SuspensionStatusWithReason, error) {
	return health.Suspended("Service unaffected by suspension")
}

// DefaultDeleteOnSuspendHandler reports that a Service is not deleted when it is suspended.
func DefaultDeleteOnSuspendHandler(*corev1.Service) bool { return false }
