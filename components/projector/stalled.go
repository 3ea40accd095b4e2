package projector

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/destination"
)

// isStalled tells whether the rule stays as it is until somebody acts, so that a pipeline that waits for it may as well give
// up. What waiting or another try may mend does not stall: a source or a namespace that is yet to come, an API server
// that does not answer.
func (s *scope[O]) isStalled(failure error) bool {
	if stopped, ok := errors.AsType[*stepError](failure); ok {
		if stopped.cause == nil {
			return !stopped.transient
		}
		return apierr.IsTerminal(stopped.cause)
	}
	failed := filter(destination.Outcome.Failed, s.outcomes, s.removals)
	return needsAction(s.problem.Reason, nil) ||
		slices.ContainsFunc(failed, func(o destination.Outcome) bool { return needsAction(o.Reason, o.Err) })
}

// needsAction tells whether somebody has to act before the reason goes away.
func needsAction(reason string, err error) bool {
	switch reason {
	case v1.ReasonSourceDeleted, v1.ReasonSourceOptedOut, v1.ReasonSourceNotProjectable, v1.ReasonDestinationConflict:
		return true
	}
	return apierr.IsTerminal(err)
}

// stalledCondition is the condition that says so, in the words of the one that is not ready.
func stalledCondition(ready metav1.Condition) metav1.Condition {
	return metav1.Condition{Type: v1.ConditionStalled, Status: metav1.ConditionTrue, Reason: ready.Reason, Message: ready.Message}
}
