package component

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Aggregate sums up components in one condition of the given type; it writes nothing. The condition is True if those of
// all components are. Its reason and message come from the component whose status is the most important: among those
// that are not True if there are any; of equals the first passed. Without components it is False and Unknown. A message that
// is longer than the API server accepts is cut, and then ends with its size.
func Aggregate(conditionType ConditionType, owner OperatorCRD, comps ...*Component) Condition {
	sum := Condition{
		Type:               string(conditionType),
		Status:             metav1.ConditionFalse,
		Reason:             string(Unknown),
		Message:            "No components were aggregated.",
		ObservedGeneration: owner.GetGeneration(),
	}
	governing := -1
	for _, comp := range comps {
		condition := comp.GetCondition(owner)
		if rank := aggregateRank(condition); rank > governing {
			governing = rank
			sum.Status, sum.Reason, sum.Message = condition.Status, condition.Reason, comp.name
			if condition.Message != "" {
				sum.Message += ": " + condition.Message
			}
		}
	}
	if sum.Status != metav1.ConditionTrue {
		sum.Status = metav1.ConditionFalse
	}
	sum.Message = bounded(sum.Message)
	return sum
}

// aggregateRank puts every condition that is not True above all that are.
func aggregateRank(condition Condition) int {
	rank := condition.ComponentStatus().Priority()
	if condition.Status != metav1.ConditionTrue {
		rank += len(byPriority)
	}
	return rank
}
