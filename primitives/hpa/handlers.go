package hpa

import (
	"cmp"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/health"
)

// DefaultOperationalStatusHandler reports whether a HorizontalPodAutoscaler is usable. It is once it
// scales; it fails while it cannot.
func DefaultOperationalStatusHandler(
	_ concepts.ConvergingOperation, object *autoscalingv2.HorizontalPodAutoscaler,
) (concepts.OperationalStatusWithReason, error) {
	return verdictOn(object).Operational()
}

// DefaultGraceStatusHandler tells how bad it is that a HorizontalPodAutoscaler is not usable. It is down while it
// cannot scale, and degraded until it does.
func DefaultGraceStatusHandler(object *autoscalingv2.HorizontalPodAutoscaler) (concepts.GraceStatusWithReason, error) {
	return verdictOn(object).Grace()
}

func verdictOn(object *autoscalingv2.HorizontalPodAutoscaler) health.Verdict {
	conditions := object.Status.Conditions
	if able := find(conditions, autoscalingv2.AbleToScale); able != nil && able.Status == corev1.ConditionFalse {
		return health.Failing(cmp.Or(able.Message, "AbleToScale is False"))
	}
	active := find(conditions, autoscalingv2.ScalingActive)
	switch {
	case len(conditions) == 0:
		return health.Pending("Waiting for HPA conditions to be populated")
	case active == nil:
		return health.Pending("Waiting for ScalingActive condition on HPA")
	case active.Status == corev1.ConditionTrue:
		return health.Usable(cmp.Or(active.Message, "ScalingActive is True"))
	case active.Status == corev1.ConditionFalse:
		return health.Failing(cmp.Or(active.Message, "ScalingActive is False"))
	case active.Status == corev1.ConditionUnknown:
		return health.Pending(cmp.Or(active.Message, "ScalingActive is Unknown"))
	default:
		return health.Pending(cmp.Or(active.Message, "ScalingActive has unrecognized status")).
			ByGrace(cmp.Or(active.Message, "ScalingActive is Unknown"))
	}
}

func find(
	conditions []autoscalingv2.HorizontalPodAutoscalerCondition, conditionType autoscalingv2.HorizontalPodAutoscalerConditionType,
) *autoscalingv2.HorizontalPodAutoscalerCondition {
	for i := range conditions {
		if conditions[i].Type == conditionType {
			return &conditions[i]
		}
	}
	return nil
}

// DefaultSuspendMutationHandler changes nothing: a HorizontalPodAutoscaler is deleted.
func DefaultSuspendMutationHandler(*Mutator) error { return nil }

// DefaultSuspensionStatusHandler is at the end: a HorizontalPodAutoscaler is deleted.
func DefaultSuspensionStatusHandler(*autoscalingv2.HorizontalPodAutoscaler) (concepts.SuspensionStatusWithReason, error) {
	return health.Suspended("HorizontalPodAutoscaler suspended to prevent scaling interference")
}

// DefaultDeleteOnSuspendHandler reports that a HorizontalPodAutoscaler is deleted when it is suspended.
func DefaultDeleteOnSuspendHandler(*autoscalingv2.HorizontalPodAutoscaler) bool { return true }
