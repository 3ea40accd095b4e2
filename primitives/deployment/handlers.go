package deployment

import (
	"cmp"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/health"
)

// DefaultConvergingStatusHandler tells how far a Deployment is. It is healthy
// when the controller has seen the newest spec, all pods are ready and, unless it is paused, of the newest revision, and available if
// minReadySeconds is set.
func DefaultConvergingStatusHandler(op concepts.ConvergingOperation, object *appsv1.Deployment) (concepts.AliveStatusWithReason, error) {
	return replicasOf(object).Converging(op)
}

// DefaultGraceStatusHandler tells how bad it is that a Deployment is not further: it is down without a ready pod, and degraded until it
// has converged.
func DefaultGraceStatusHandler(object *appsv1.Deployment) (concepts.GraceStatusWithReason, error) {
	return replicasOf(object).Grace()
}

// DefaultSuspendMutationHandler scales a Deployment to zero.
func DefaultSuspendMutationHandler(m *Mutator) error {
	m.EnsureReplicas(0)
	return nil
}

// DefaultSuspensionStatusHandler tells whether the pods are gone. While the controller has not seen the newest spec, the status
// is not asked.
func DefaultSuspensionStatusHandler(object *appsv1.Deployment) (concepts.SuspensionStatusWithReason, error) {
	return replicasOf(object).Suspension(object.Status.Replicas, ptr.Deref(object.Status.TerminatingReplicas, 0))
}

// DefaultDeleteOnSuspendHandler reports that a Deployment is not deleted when it is suspended.
func DefaultDeleteOnSuspendHandler(*appsv1.Deployment) bool { return false }

func replicasOf(object *appsv1.Deployment) health.Replicas {
	replicas := health.Replicas{
		Controller: "deployment", Title: "Deployment", Noun: "replicas",
		Generation: object.Generation, ObservedGeneration: object.Status.ObservedGeneration,
		Desired: health.DesiredOf(object.Spec.Replicas), Ready: object.Status.ReadyReplicas,
	}
	replicas.Rollout = cmp.Or(rollout(object, replicas.Desired),
		replicas.Available(object.Status.AvailableReplicas, object.Spec.MinReadySeconds))
	return replicas
}

// rollout says what is missing for all pods to be of the newest revision.
func rollout(object *appsv1.Deployment, desired int32) string {
	status := object.Status
	switch {
	case object.Spec.Paused:
		return ""
	case status.UpdatedReplicas < desired:
		return fmt.Sprintf("Waiting for rollout: %d/%d replicas updated", status.UpdatedReplicas, desired)
	case status.Replicas > status.UpdatedReplicas:
		return fmt.Sprintf("Waiting for rollout: %d old replicas pending termination", status.Replicas-status.UpdatedReplicas)
	default:
		return ""
	}
}
