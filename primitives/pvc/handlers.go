package pvc

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/health"
)

// DefaultOperationalStatusHandler reports whether a PersistentVolumeClaim is usable. It is once it is
// bound; it fails when it has lost its volume.
func DefaultOperationalStatusHandler(_ concepts.ConvergingOperation, object *corev1.PersistentVolumeClaim) (concepts.OperationalStatusWithReason, error) {
	return verdictOn(object).Operational()
}

// DefaultGraceStatusHandler tells how bad it is that a PersistentVolumeClaim is not usable. It is down when it has
// lost its volume, and degraded until it is bound.
func DefaultGraceStatusHandler(object *corev1.PersistentVolumeClaim) (concepts.GraceStatusWithReason, error) {
	return verdictOn(object).Grace()
}

func verdictOn(object *corev1.PersistentVolumeClaim) health.Verdict {
	switch object.Status.Phase {
	case corev1.ClaimBound:
		if object.Spec.VolumeName == "" {
			return health.Usable("PVC is bound")
		}
		return health.Usable("PVC is bound to volume " + object.Spec.VolumeName)
	case corev1.ClaimLost:
		return health.Failing("PVC has lost its bound volume")
	default:
		return health.Pending("Waiting for PVC to be bound")
	}
}

// DefaultSuspendMutationHandler changes nothing.
func DefaultSuspendMutationHandler(*Mutator) error { return nil }

// DefaultSuspensionStatusHandler is at the end: a suspension leaves a PersistentVolumeClaim as it is.
func DefaultSuspensionStatusHandler(*corev1.PersistentVolumeClaim) (concepts.SuspensionStatusWithReason, error) {
	return health.Suspended("PVC does not require suspension actions")
}

// DefaultDeleteOnSuspendHandler reports that a PersistentVolumeClaim is not deleted when it is suspended.
func DefaultDeleteOnSuspendHandler(*corev1.PersistentVolumeClaim) bool { return false }
