package projector

import (
	"context"
	"errors"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projector/internal/memory"
)

// Messages of the log at V(1): one for each reconcile.
const (
	messageReconciled = "Reconciled"
	messageUncached   = "Reconciled a rule that is not in the cache"
)

// logReconcile logs at V(1) why the rule was enqueued, what the reconcile planned and did, and how it ended. It logs no content of
// objects.
func (s *scope[O]) logReconcile(ctx context.Context, failure error, result reconcile.Result, end error) {
	logger := log.FromContext(ctx).V(1)
	if !logger.Enabled() {
		return
	}
	m := s.local
	all := slices.Concat(m.outcomes, m.removals)
	logger.Info(messageReconciled,
		"triggers", triggerNames(s.triggers),
		"planned", len(m.wanted.Targets),
		"created", len(withAction(all, destination.Created)),
		"updated", len(withAction(all, destination.Updated)),
		"adopted", len(withAction(all, destination.Adopted)),
		"deleted", len(withAction(all, destination.Deleted)),
		"retained", len(withAction(all, destination.Retained)),
		"recreated", len(withAction(all, destination.Recreated)),
		"leftAlone", len(withAction(all, destination.LeftAlone)),
		"deletedLate", m.deletedLate,
		"skipped", count(isSkipped, all),
		"failed", count(destination.Outcome.Failed, all),
		"held", count(isHeld, all),
		"pending", count(func(o destination.Outcome) bool { return o.Pending }, all),
		"ready", readyReason(s.rule.GetCommonStatus().Conditions),
		"requeueAfter", result.RequeueAfter.String(),
		"error", errorClass(errors.Join(failure, end)),
	)
}

// logUncached logs at V(1) why a rule was enqueued that was deleted or is not selected any more, and what was done.
func logUncached(ctx context.Context, triggers memory.Triggers, deleted int, err error) {
	log.FromContext(ctx).V(1).Info(messageUncached,
		"triggers", triggerNames(triggers), "deletedLate", deleted, "error", errorClass(err))
}

func triggerNames(triggers memory.Triggers) []string {
	names := make([]string, 0, len(triggers))
	for _, trigger := range slices.Sorted(maps.Keys(triggers)) {
		names = append(names, string(trigger))
	}
	return names
}

// readyReason returns the reason of the condition Ready; empty if there is none.
func readyReason(conditions []metav1.Condition) string {
	if ready := meta.FindStatusCondition(conditions, v1.ConditionReady); ready != nil {
		return ready.Reason
	}
	return ""
}

// errorClass returns of which kind an error is; empty if there is none. An error itself can quote an object.
func errorClass(err error) string {
	stopped, isPlan := errors.AsType[*plan.Error](err)
	switch reason := apierrors.ReasonForError(err); {
	case err == nil:
		return ""
	case errors.Is(err, errOutdated):
		return "Outdated"
	case errors.Is(err, plan.ErrNotRead):
		return "NotRead"
	case isPlan:
		return stopped.Problem.Reason
	case errors.Is(err, context.Canceled):
		return "Canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "DeadlineExceeded"
	case reason != metav1.StatusReasonUnknown:
		return string(reason)
	default:
		return "Other"
	}
}
