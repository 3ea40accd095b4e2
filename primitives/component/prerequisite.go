package component

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Prerequisite is something that must be given before a component is reconciled for the first time.
type Prerequisite interface {
	// Check returns whether the prerequisite is met. An error means that it is not known.
	Check(rec ReconcileContext) (PrerequisiteResult, error)
}

// PrerequisiteStatus is the result of a prerequisite.
type PrerequisiteStatus string

// The results.
const (
	PrerequisiteStatusMet    PrerequisiteStatus = "Met"
	PrerequisiteStatusNotMet PrerequisiteStatus = "NotMet"
)

// PrerequisiteResult is a result and the sentence that explains it.
type PrerequisiteResult struct {
	Status PrerequisiteStatus
	Reason string
}

type conditionPrerequisite ConditionType

// DependsOn returns a prerequisite that is met while the owner in memory has a condition of that type that is True.
// Components that others depend on must therefore be reconciled first.
func DependsOn(conditionType ConditionType) Prerequisite { return conditionPrerequisite(conditionType) }

// Check looks at the owner in memory.
func (p conditionPrerequisite) Check(rec ReconcileContext) (PrerequisiteResult, error) {
	condition := meta.FindStatusCondition(*rec.Owner.GetStatusConditions(), string(p))
	if condition == nil {
		return PrerequisiteResult{
			Status: PrerequisiteStatusNotMet,
			Reason: fmt.Sprintf("Condition %q not found on %s/%s", string(p), rec.Owner.GetKind(), rec.Owner.GetName()),
		}, nil
	}
	if condition.Status == metav1.ConditionTrue {
		return PrerequisiteResult{Status: PrerequisiteStatusMet}, nil
	}
	return PrerequisiteResult{
		Status: PrerequisiteStatusNotMet,
		Reason: fmt.Sprintf("Prerequisite not met: waiting for condition %q to become True (currently %s: %s)",
			string(p), condition.Status, condition.Message),
	}, nil
}

// checkPrerequisites reports whether the component may go on, and otherwise what it waits for. A component that has
// once passed is not asked again.
func (p *pass) checkPrerequisites() (met bool, reason string, err error) {
	switch p.component.GetCondition(p.rec.Owner).ComponentStatus() {
	case Unknown, PrerequisiteNotMet, Disabled, FeatureGateError:
	default:
		return true, "", nil
	}
	for _, prerequisite := range p.component.prerequisites {
		result, err := prerequisite.Check(p.rec)
		if err != nil {
			return false, "", err
		}
		switch result.Status {
		case PrerequisiteStatusMet:
		case PrerequisiteStatusNotMet:
			return false, result.Reason, nil
		default:
			return false, "", fmt.Errorf("prerequisite returned unrecognized status %q", result.Status)
		}
	}
	return true, "", nil
}
