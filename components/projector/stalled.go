package projector

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
)

// isStalled reports whether the rule stays as it is until somebody acts, so that a pipeline that waits for it can give up. A rule
// is not stalled if waiting or a retry may help: a source or a namespace does not exist yet, or the API server does not answer.
func (s *scope[O]) isStalled(failure error) bool {
	if stopped, ok := errors.AsType[*plan.Error](failure); ok {
		if stopped.Retry {
			return apierr.IsTerminal(stopped.Err)
		}
		return !stopped.Transient
	}
	failed := filter(destination.Outcome.Failed, s.local.outcomes, s.local.removals)
	return s.isStalledByCluster() || needsAction(s.whyNone().Reason, nil) || !s.local.staged.waits && count(isHeld, s.local.outcomes, s.local.removals) > 0 ||
		slices.ContainsFunc(failed, func(o destination.Outcome) bool { return needsAction(o.Reason, o.Err) })
}

// needsAction reports whether somebody has to act before the reason goes away.
func needsAction(reason string, err error) bool {
	switch reason {
	case v1.ReasonSourceDeleted, v1.ReasonSourceOptedOut, v1.ReasonSourceNotProjectable, v1.ReasonDestinationConflict,
		v1.ReasonDestinationNotPermitted, v1.ReasonDestinationNotHealthy:
		return true
	case v1.ReasonRenderFailed: // with an error, its evaluation was put off
		return err == nil
	}
	return apierr.IsTerminal(err)
}

// stalledCondition returns the condition Stalled, with the reason and message of the condition that is not ready.
func stalledCondition(ready metav1.Condition) metav1.Condition {
	return metav1.Condition{Type: v1.ConditionStalled, Status: metav1.ConditionTrue, Reason: ready.Reason, Message: ready.Message}
}
