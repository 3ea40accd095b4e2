package generic

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/health"
)

// ReadyCondition returns a handler for WithCustomConvergeStatus of a workload without a Go type. It follows a condition of the
// object:
//
//   - True is Healthy.
//   - False is Failing.
//   - Unknown, or no such condition, is Creating after a creation, and otherwise Updating.
//   - A condition of an older generation counts as Unknown. It is one if status.observedGeneration, or observedGeneration of
//     the condition, is less than metadata.generation.
//
// Example: workload.NewBuilder(certificate).WithCustomConvergeStatus(generic.ReadyCondition("Ready")).
func ReadyCondition(conditionType string) func(concepts.ConvergingOperation, *uns.Unstructured) (concepts.AliveStatusWithReason, error) {
	return func(op concepts.ConvergingOperation, object *uns.Unstructured) (concepts.AliveStatusWithReason, error) {
		verdict := verdictOf(object, conditionType)
		alive := concepts.AliveStatusWithReason{Status: concepts.AliveConvergingStatusUpdating, Reason: verdict.Reason}
		switch {
		case verdict.Status == concepts.OperationalStatusOperational:
			alive.Status = concepts.AliveConvergingStatusHealthy
		case verdict.Status == concepts.OperationalStatusFailing:
			alive.Status = concepts.AliveConvergingStatusFailing
		case op == concepts.ConvergingOperationCreated:
			alive.Status = concepts.AliveConvergingStatusCreating
		}
		return alive, nil
	}
}

// ReadyConditionOperational is ReadyCondition for WithCustomOperationalStatus of an integration: True is Operational, False
// is OperationFailing, and anything else is OperationPending.
func ReadyConditionOperational(
	conditionType string,
) func(concepts.ConvergingOperation, *uns.Unstructured) (concepts.OperationalStatusWithReason, error) {
	return func(_ concepts.ConvergingOperation, object *uns.Unstructured) (concepts.OperationalStatusWithReason, error) {
		return verdictOf(object, conditionType).Operational()
	}
}

// ReadyConditionGrace is the grace status, for WithCustomGraceStatus, that agrees with the two: True is Healthy, False is
// Down, and anything else is Degraded.
func ReadyConditionGrace(conditionType string) func(*uns.Unstructured) (concepts.GraceStatusWithReason, error) {
	return func(object *uns.Unstructured) (concepts.GraceStatusWithReason, error) {
		return verdictOf(object, conditionType).Grace()
	}
}

// verdictOf says what the condition says, or that it cannot be known yet.
func verdictOf(object *uns.Unstructured, conditionType string) health.Verdict {
	generation := object.GetGeneration()
	if observed, found, err := uns.NestedInt64(object.Object, "status", "observedGeneration"); err == nil && found && observed < generation {
		return unobserved(object)
	}
	condition := conditionOf(object, conditionType)
	if condition == nil {
		return health.Pending("Waiting for condition " + conditionType)
	}
	if observed, ok := condition["observedGeneration"].(int64); ok && observed < generation {
		return unobserved(object)
	}
	status := textOf(condition, "status")
	reason := cmp.Or(textOf(condition, "message"), textOf(condition, "reason"), conditionType+" is "+status)
	switch metav1.ConditionStatus(status) {
	case metav1.ConditionTrue:
		return health.Usable(reason)
	case metav1.ConditionFalse:
		return health.Failing(reason)
	default:
		return health.Pending(reason)
	}
}

func unobserved(object *uns.Unstructured) health.Verdict {
	return health.Pending(fmt.Sprintf("Waiting for %s controller to observe latest spec", object.GetKind()))
}

// conditionOf returns the condition of that type, or nil. What is malformed is absent.
func conditionOf(object *uns.Unstructured, conditionType string) map[string]any {
	status, _ := object.Object["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	for _, item := range conditions {
		if condition, ok := item.(map[string]any); ok && textOf(condition, "type") == conditionType {
			return condition
		}
	}
	return nil
}

func textOf(condition map[string]any, field string) string {
	text, _ := condition[field].(string)
	return text
}
