package generic

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
)

// ReadyCondition returns a converging status, for WithCustomConvergeStatus of a workload without a Go type, that follows a
// condition of the object: True is Healthy, False is Failing, Unknown and absent are Creating or Updating. So is a condition
// that the controller wrote before it saw the newest spec, where status.observedGeneration or the condition's tells.
//
// Example: workload.NewBuilder(certificate).WithCustomConvergeStatus(generic.ReadyCondition("Ready")).
func ReadyCondition(conditionType string) func(concepts.ConvergingOperation, *uns.Unstructured) (concepts.AliveStatusWithReason, error) {
	return func(op concepts.ConvergingOperation, object *uns.Unstructured) (concepts.AliveStatusWithReason, error) {
		found := readinessOf(object, conditionType)
		alive := concepts.AliveStatusWithReason{Status: concepts.AliveConvergingStatusUpdating, Reason: found.reason}
		switch {
		case found.status == metav1.ConditionTrue:
			alive.Status = concepts.AliveConvergingStatusHealthy
		case found.status == metav1.ConditionFalse:
			alive.Status = concepts.AliveConvergingStatusFailing
		case op == concepts.ConvergingOperationCreated:
			alive.Status = concepts.AliveConvergingStatusCreating
		}
		return alive, nil
	}
}

// ReadyConditionOperational is ReadyCondition for WithCustomOperationalStatus of an integration: True is Operational, False
// is OperationFailing, anything else is OperationPending.
func ReadyConditionOperational(
	conditionType string,
) func(concepts.ConvergingOperation, *uns.Unstructured) (concepts.OperationalStatusWithReason, error) {
	return func(_ concepts.ConvergingOperation, object *uns.Unstructured) (concepts.OperationalStatusWithReason, error) {
		found := readinessOf(object, conditionType)
		operational := concepts.OperationalStatusWithReason{Status: concepts.OperationalStatusPending, Reason: found.reason}
		switch found.status {
		case metav1.ConditionTrue:
			operational.Status = concepts.OperationalStatusOperational
		case metav1.ConditionFalse:
			operational.Status = concepts.OperationalStatusFailing
		default:
		}
		return operational, nil
	}
}

// ReadyConditionGrace is the grace status, for WithCustomGraceStatus, that agrees with the two: True is Healthy, False is
// Down, anything else is Degraded.
func ReadyConditionGrace(conditionType string) func(*uns.Unstructured) (concepts.GraceStatusWithReason, error) {
	return func(object *uns.Unstructured) (concepts.GraceStatusWithReason, error) {
		found := readinessOf(object, conditionType)
		grace := concepts.GraceStatusWithReason{Status: concepts.GraceStatusDegraded, Reason: found.reason}
		switch found.status {
		case metav1.ConditionTrue:
			grace.Status = concepts.GraceStatusHealthy
		case metav1.ConditionFalse:
			grace.Status = concepts.GraceStatusDown
		default:
		}
		return grace, nil
	}
}

// readiness is what a condition says: True, False, or anything else for what is not known.
type readiness struct {
	status metav1.ConditionStatus
	reason string
}

func readinessOf(object *uns.Unstructured, conditionType string) readiness {
	generation := object.GetGeneration()
	if observed, found, err := uns.NestedInt64(object.Object, "status", "observedGeneration"); err == nil && found && observed < generation {
		return unobserved(object)
	}
	condition := conditionOf(object, conditionType)
	if condition == nil {
		return readiness{reason: "Waiting for condition " + conditionType}
	}
	if observed, ok := condition["observedGeneration"].(int64); ok && observed < generation {
		return unobserved(object)
	}
	status := textOf(condition, "status")
	return readiness{
		status: metav1.ConditionStatus(status),
		reason: cmp.Or(textOf(condition, "message"), textOf(condition, "reason"), conditionType+" is "+status),
	}
}

func unobserved(object *uns.Unstructured) readiness {
	return readiness{reason: fmt.Sprintf("Waiting for %s controller to observe latest spec", object.GetKind())}
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
