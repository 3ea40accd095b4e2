package component

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionType is the type of the condition that a component reports.
type ConditionType string

// Condition is a condition of an owner, as a component sees it.
type Condition metav1.Condition

// ConditionType returns the type.
func (c Condition) ConditionType() ConditionType { return ConditionType(c.Type) }

// ComponentStatus returns the reason as a status.
func (c Condition) ComponentStatus() Status { return Status(c.Reason) }

// GetCondition returns the condition of the component from the owner in memory. An owner without it gets one that is
// False with the reason Unknown.
func (c *Component) GetCondition(owner OperatorCRD) Condition {
	if condition := meta.FindStatusCondition(*owner.GetStatusConditions(), string(c.conditionType)); condition != nil {
		return Condition(*condition)
	}
	return Condition{
		Type:               string(c.conditionType),
		Status:             metav1.ConditionFalse,
		Reason:             string(Unknown),
		Message:            "Component has not been reconciled yet.",
		ObservedGeneration: owner.GetGeneration(),
	}
}
