package replicaset

import (
	"cmp"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/health"
)

// DefaultConvergingStatusHandler tells how far a ReplicaSet is. It is healthy
// when the controller has seen the newest spec, all pods are ready, no pod is too many, and all are available if minReadySeconds is set.
func DefaultConvergingStatusHandler(op concepts.ConvergingOperation, object *appsv1.ReplicaSet) (concepts.AliveStatusWithReason, error) {
	return replicasOf(object).Converging(op)
}

// DefaultGraceStatusHandler tells how bad it is that a ReplicaSet is not further: it is down without a ready pod, and degraded until it
// has converged.
func DefaultGraceStatusHandler(object *appsv1.ReplicaSet) (concepts.GraceStatusWithReason, error) {
	return replicasOf(object).Grace()
}

// DefaultSuspendMutationHandler scales a ReplicaSet to zero.
func DefaultSuspendMutationHandler(m *Mutator) error {
	m.EnsureReplicas(0)
	return nil
}

// DefaultSuspensionStatusHandler tells whether the pods are gone. While the controller has not seen the newest spec, the status
// is not asked.
func DefaultSuspensionStatusHandler(object *appsv1.ReplicaSet) (concepts.SuspensionStatusWithReason, error) {
	return replicasOf(object).Suspension(object.Status.Replicas, ptr.Deref(object.Status.TerminatingReplicas, 0))
}

// DefaultDeleteOnSuspendHandler reports that a ReplicaSet is not deleted when it is suspended.
func DefaultDeleteOnSuspendHandler(*appsv1.ReplicaSet) bool { return false }

func replicasOf(object *appsv1.ReplicaSet) health.Replicas {
	replicas := health.Replicas{
		Controller: "replicaset", Title: "ReplicaSet", Noun: "replicas",
		Generation: object.Generation, ObservedGeneration: object.Status.ObservedGeneration,
		Desired: health.DesiredOf(object.Spec.Replicas), Ready: object.Status.ReadyReplicas,
	}
	replicas.Rollout = cmp.Or(scaleDown(object, replicas.Desired),
		replicas.Available(object.Status.AvailableReplicas, object.Spec.MinReadySeconds))
	return replicas
}

// scaleDown says what is missing for no pod to be too many.
func scaleDown(object *appsv1.ReplicaSet, desired int32) string {
	if object.Status.Replicas <= desired {
		return ""
	}
	return fmt.Sprintf("Waiting for scale-down: %d/%d replicas", object.Status.Replicas, desired)
}
