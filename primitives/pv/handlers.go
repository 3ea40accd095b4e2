package pv

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/health"
)

// DefaultOperationalStatusHandler reports whether a PersistentVolume is usable. It is while it is
// available or bound; it fails when it was released, or could not be reclaimed.
func DefaultOperationalStatusHandler(_ concepts.ConvergingOperation, object *corev1.PersistentVolume) (concepts.OperationalStatusWithReason, error) {
	return verdictOn(object).Operational()
}

// DefaultGraceStatusHandler tells how bad it is that a PersistentVolume is not usable. It is down when it was
// released, or could not be reclaimed, and degraded while it is pending.
func DefaultGraceStatusHandler(object *corev1.PersistentVolume) (concepts.GraceStatusWithReason, error) {
	return verdictOn(object).Grace()
}

func verdictOn(object *corev1.PersistentVolume) health.Verdict {
	switch phase := object.Status.Phase; phase {
	case corev1.VolumeAvailable:
		return health.Usable("PersistentVolume is available")
	case corev1.VolumeBound:
		return health.Usable("PersistentVolume is bound to a claim")
	case corev1.VolumePending:
		return health.Pending("PersistentVolume is pending")
	case corev1.VolumeReleased:
		return health.Failing("PersistentVolume has been released and is not yet reclaimed")
	case corev1.VolumeFailed:
		return health.Failing("PersistentVolume reclamation has failed")
	default:
		return health.Pending(fmt.Sprintf("PersistentVolume phase is %q", phase))
	}
}
