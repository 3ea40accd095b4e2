package deployment

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
)

// FailureAwareConvergingStatusHandler is DefaultConvergingStatusHandler, but Failing for a rollout that made no progress in
// time and for pods that cannot be created. Set it with WithCustomConvergeStatus.
func FailureAwareConvergingStatusHandler(
	op concepts.ConvergingOperation, object *appsv1.Deployment,
) (concepts.AliveStatusWithReason, error) {
	if object.Status.ObservedGeneration >= object.Generation {
		for _, condition := range object.Status.Conditions {
			if failed(condition) {
				return concepts.AliveStatusWithReason{
					Status: concepts.AliveConvergingStatusFailing, Reason: cmp.Or(condition.Message, condition.Reason),
				}, nil
			}
		}
	}
	return DefaultConvergingStatusHandler(op, object)
}

func failed(condition appsv1.DeploymentCondition) bool {
	switch condition.Type {
	case appsv1.DeploymentProgressing:
		return condition.Status == corev1.ConditionFalse && condition.Reason == "ProgressDeadlineExceeded"
	case appsv1.DeploymentReplicaFailure:
		return condition.Status == corev1.ConditionTrue
	default:
		return false
	}
}
