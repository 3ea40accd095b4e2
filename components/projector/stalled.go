package projector

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/answer"
	"projection.sh/operator/components/destination"
)

// stalls tells whether the rule stays as it is until somebody acts, so that a pipeline that waits for it may as well give
// up. What waiting or another try may mend does not stall: a source or a namespace that is yet to come, an API server
// that does not answer.
func (p *pass[O]) stalls(failure error) bool {
	if stopped, ok := errors.AsType[*halt](failure); ok {
		if stopped.cause == nil {
			return !stopped.passing
		}
		return answer.Refused(stopped.cause)
	}
	failed := those(destination.Outcome.Failed, p.outcomes, p.removals)
	return lasts(p.resolved.reason, nil) ||
		slices.ContainsFunc(failed, func(o destination.Outcome) bool { return lasts(o.Reason, o.Err) })
}

// lasts tells whether somebody has to act before the reason goes away.
func lasts(reason string, err error) bool {
	switch reason {
	case v1.ReasonSourceDeleted, v1.ReasonSourceOptedOut, v1.ReasonSourceNotProjectable, v1.ReasonDestinationConflict:
		return true
	}
	return answer.Refused(err)
}

// stalled is the condition that says so, in the words of the one that is not ready.
func stalled(ready metav1.Condition) metav1.Condition {
	return metav1.Condition{Type: v1.ConditionStalled, Status: metav1.ConditionTrue, Reason: ready.Reason, Message: ready.Message}
}
