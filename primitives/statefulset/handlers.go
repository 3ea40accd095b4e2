package statefulset

import (
	"cmp"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/health"
)

// DefaultConvergingStatusHandler tells how far a StatefulSet is. It is healthy
// when the controller has seen the newest spec, all pods are ready, those that the update strategy replaces by itself are of the
// newest revision, and available if minReadySeconds is set.
func DefaultConvergingStatusHandler(op concepts.ConvergingOperation, object *appsv1.StatefulSet) (concepts.AliveStatusWithReason, error) {
	return replicasOf(object).Converging(op)
}

// DefaultGraceStatusHandler tells how bad it is that a StatefulSet is not further: it is down without a ready pod, and degraded until it
// has converged.
func DefaultGraceStatusHandler(object *appsv1.StatefulSet) (concepts.GraceStatusWithReason, error) {
	return replicasOf(object).Grace()
}

// DefaultSuspendMutationHandler scales a StatefulSet to zero.
func DefaultSuspendMutationHandler(m *Mutator) error {
	m.EnsureReplicas(0)
	return nil
}

// DefaultSuspensionStatusHandler tells whether the pods are gone. While the controller has not seen the newest spec, the status
// is not asked.
func DefaultSuspensionStatusHandler(object *appsv1.StatefulSet) (concepts.SuspensionStatusWithReason, error) {
	return replicasOf(object).Suspension(object.Status.Replicas, 0)
}

// DefaultDeleteOnSuspendHandler reports that a StatefulSet is not deleted when it is suspended.
func DefaultDeleteOnSuspendHandler(*appsv1.StatefulSet) bool { return false }

func replicasOf(object *appsv1.StatefulSet) health.Replicas {
	replicas := health.Replicas{
		Controller: "statefulset", Title: "StatefulSet", Noun: "replicas",
		Generation: object.Generation, ObservedGeneration: object.Status.ObservedGeneration,
		Desired: health.DesiredOf(object.Spec.Replicas), Ready: object.Status.ReadyReplicas,
	}
	replicas.Rollout = cmp.Or(rollout(object, replicas.Desired),
		replicas.Available(object.Status.AvailableReplicas, object.Spec.MinReadySeconds))
	return replicas
}

// rollout says what is missing for all pods that the update strategy replaces to be of the newest revision.
func rollout(object *appsv1.StatefulSet, desired int32) string {
	status := object.Status
	strategy := object.Spec.UpdateStrategy
	switch partition := partitionOf(strategy); {
	case strategy.Type == appsv1.OnDeleteStatefulSetStrategyType:
		return ""
	case partition > 0:
		if wanted := max(desired-partition, 0); status.UpdatedReplicas < wanted {
			return fmt.Sprintf("Waiting for partitioned rollout: %d/%d replicas updated", status.UpdatedReplicas, wanted)
		}
		return ""
	case status.UpdatedReplicas < desired:
		return fmt.Sprintf("Waiting for rollout: %d/%d replicas updated", status.UpdatedReplicas, desired)
	case status.CurrentRevision != status.UpdateRevision:
		return "Waiting for rollout to revision " + status.UpdateRevision
	default:
		return ""
	}
}

// partitionOf returns the ordinal below which pods stay as they are.
func partitionOf(strategy appsv1.StatefulSetUpdateStrategy) int32 {
	if strategy.RollingUpdate == nil || strategy.RollingUpdate.Partition == nil {
		return 0
	}
	return *strategy.RollingUpdate.Partition
}
