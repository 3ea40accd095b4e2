package projector

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projector/internal/memory"
)

// statusTimeout is how long a reconcile that ran out of time may take to write the status.
const statusTimeout = 10 * time.Second

// finish reports how the reconcile went: by the status, in one write and only if something changed, by events and by metrics. It
// returns what the queue is to do: nothing, a later reconcile, or a retry with backoff.
func (s *scope[O]) finish(ctx context.Context, failure error) (reconcile.Result, error) {
	switch {
	case s.run.base.Err() != nil: // the operator ends; its requests may end before ctx does
		s.restoreTriggers()
		return reconcile.Result{}, s.run.base.Err()
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), statusTimeout)
		defer cancel()
		ctx = late
	}
	s.emitWork()
	if result, unreported := s.leaveToAnother(failure); unreported {
		return result, nil
	}
	if (s.isDeleting() || s.isLeft()) && failure == nil && !s.local.isPending() {
		s.reportEnd()
		return reconcile.Result{}, nil
	}
	s.local.adviseOnNames()
	reported := s.conditions(failure)
	s.recordMetrics(reported)
	result, failure := s.queueResult(failure)
	s.setConditions(reported)
	if wait := max(s.deferStatus(), s.awaitReports()); wait > 0 && failure == nil {
		return reconcile.Result{RequeueAfter: min(wait, cmp.Or(result.RequeueAfter, wait))}, nil
	}
	err := s.writeStatus(ctx)
	if err == nil {
		s.emitTrouble(reported)
	}
	if apierrors.IsConflict(err) && failure == nil {
		return s.retryOutdated(), nil
	}
	if apierrors.IsConflict(err) {
		return reconcile.Result{}, failure
	}
	s.remembered(func(r *memory.Rule) { r.Outdated = 0 })
	if err := errors.Join(failure, err); err != nil {
		return reconcile.Result{}, err
	}
	return result, nil
}

// reportEnd reports that the rule has ended in the cluster of a branch.
func (s *scope[O]) reportEnd() {
	if s.branch != nil {
		s.reportBranch()
	}
}

// leaveToAnother leaves the triggers to the next reconcile if this one has ended before it found anything out, and returns when that is to be.
func (s *scope[O]) leaveToAnother(failure error) (result reconcile.Result, unreported bool) {
	switch {
	case errors.Is(failure, errOutdated):
		result = s.retryOutdated()
	case errors.Is(failure, errWaits):
	case errors.Is(failure, plan.ErrNotRead):
		result.RequeueAfter = s.config.Requeue
	default:
		return result, false
	}
	s.restoreTriggers()
	return result, true
}

// queueResult returns the later reconcile and the error for which the queue retries with backoff.
func (s *scope[O]) queueResult(failure error) (reconcile.Result, error) {
	var stopped *plan.Error
	switch {
	case !errors.As(failure, &stopped):
	case stopped.Refused:
		s.restoreTriggers()
		return reconcile.Result{RequeueAfter: s.refusedReadBackoff()}, nil
	case !stopped.Retry:
		return reconcile.Result{RequeueAfter: stopped.RequeueAfter}, nil
	}
	pending := s.local.isPending()
	if failure != nil || pending || slices.ContainsFunc(s.local.outcomes, func(o destination.Outcome) bool { return o.Err != nil }) {
		s.restoreTriggers()
	}
	switch {
	case failure != nil:
		return reconcile.Result{}, failure
	case pending && errors.Is(s.run.active.Err(), context.DeadlineExceeded):
		return reconcile.Result{RequeueAfter: cacheDelay}, nil
	default:
		return reconcile.Result{RequeueAfter: soonest(s.local.retryAfter(), s.clustersRetryAfter())}, nil
	}
}

// minRetryAfter is the least time until a rule is reconciled again. So one reconcile serves many copies whose backoffs end one
// after the other.
const minRetryAfter = time.Second

// retryAfter returns when to reconcile the rule again although no event enqueues it; zero: never.
func (m *memberScope[O]) retryAfter() time.Duration {
	again := m.rollAgain
	if m.isPending() { // a safeguard: the end of the request enqueues the rule
		again = soonest(again, m.scope.config.Requeue)
	}
	for _, outcomes := range [][]destination.Outcome{m.outcomes, m.removals} {
		for i := range outcomes {
			again = soonest(again, outcomes[i].RetryAfter)
		}
	}
	if again == 0 {
		return 0
	}
	return max(again, minRetryAfter)
}
