package health

import (
	"regexp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// condition is what is read of a condition. Its message is not: it may quote anything.
type condition struct {
	status metav1.ConditionStatus
	reason string
}

// reasons are those that can be quoted: one word, as the API conventions have it.
var reasons = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_,:]{0,62}$`)

// verdict is that the object is not healthy, because of its condition of that type.
func (c condition) verdict(conditionType string) Verdict {
	if reasons.MatchString(c.reason) {
		return unhealthy("its condition %s is %s (%s)", conditionType, c.statusOrUnknown(), c.reason)
	}
	return unhealthy("its condition %s is %s", conditionType, c.statusOrUnknown())
}

func (c condition) statusOrUnknown() metav1.ConditionStatus {
	if c.status == metav1.ConditionTrue || c.status == metav1.ConditionFalse {
		return c.status
	}
	return metav1.ConditionUnknown
}

// conditionsOf returns the conditions by their type. What is malformed is absent. A condition that was written for an earlier generation is
// Unknown.
func conditionsOf(object *unstructured.Unstructured) map[string]condition {
	status, _ := object.Object["status"].(map[string]any)
	list, _ := status["conditions"].([]any)
	conditions := make(map[string]condition, len(list))
	for _, item := range list {
		fields, _ := item.(map[string]any)
		conditionType, _ := fields["type"].(string)
		value, _ := fields["status"].(string)
		if conditionType == "" || value == "" {
			continue
		}
		found := condition{status: metav1.ConditionStatus(value)}
		found.reason, _ = fields["reason"].(string)
		if observed, ok := fields["observedGeneration"].(int64); ok && observed < object.GetGeneration() {
			found = condition{status: metav1.ConditionUnknown}
		}
		conditions[conditionType] = found
	}
	return conditions
}
