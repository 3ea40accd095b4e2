package daemonset

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/health"
)

const noNodes = "No nodes match the DaemonSet node selector"

// DefaultConvergingStatusHandler tells how far a DaemonSet is. It is healthy when the controller has seen the newest spec, all
// pods are ready and, unless pods are replaced by hand, of the newest revision; or when no node is selected.
func DefaultConvergingStatusHandler(op concepts.ConvergingOperation, object *appsv1.DaemonSet) (concepts.AliveStatusWithReason, error) {
	if selectsNoNode(object) {
		return concepts.AliveStatusWithReason{Status: concepts.AliveConvergingStatusHealthy, Reason: noNodes}, nil
	}
	return podsOf(object).Converging(op)
}

// DefaultGraceStatusHandler tells how bad it is that a DaemonSet is not further: it is down without a ready pod, and degraded until
// it has converged.
func DefaultGraceStatusHandler(object *appsv1.DaemonSet) (concepts.GraceStatusWithReason, error) {
	if selectsNoNode(object) {
		return concepts.GraceStatusWithReason{Status: concepts.GraceStatusHealthy, Reason: noNodes}, nil
	}
	return podsOf(object).Grace()
}

// DefaultSuspendMutationHandler changes nothing: a DaemonSet is deleted.
func DefaultSuspendMutationHandler(*Mutator) error { return nil }

// DefaultSuspensionStatusHandler is at the end: a DaemonSet is deleted.
func DefaultSuspensionStatusHandler(*appsv1.DaemonSet) (concepts.SuspensionStatusWithReason, error) {
	return health.Suspended("DaemonSet deleted on suspend")
}

// DefaultDeleteOnSuspendHandler reports that a DaemonSet is deleted when it is suspended.
func DefaultDeleteOnSuspendHandler(*appsv1.DaemonSet) bool { return true }

// selectsNoNode reports whether the controller has seen the newest spec, and found no node for it.
func selectsNoNode(object *appsv1.DaemonSet) bool {
	return object.Status.ObservedGeneration >= object.Generation && object.Status.DesiredNumberScheduled == 0
}

func podsOf(object *appsv1.DaemonSet) health.Replicas {
	status := object.Status
	pods := health.Replicas{
		Controller: "DaemonSet", Title: "DaemonSet", Noun: "pods",
		Generation: object.Generation, ObservedGeneration: status.ObservedGeneration,
		Desired: status.DesiredNumberScheduled, Ready: status.NumberReady,
	}
	byHand := object.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType
	if !byHand && status.UpdatedNumberScheduled < status.DesiredNumberScheduled {
		pods.Rollout = fmt.Sprintf("Waiting for rollout: %d/%d pods updated", status.UpdatedNumberScheduled, status.DesiredNumberScheduled)
	}
	return pods
}
