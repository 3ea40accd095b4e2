package projector

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"projection.sh/operator/components/apierr"
)

// cacheDelay gives the cache time to learn what the API server knows already.
const cacheDelay = 50 * time.Millisecond

// statusTimeout is how long a pass that ran out of time may take to tell what it has found out.
const statusTimeout = 10 * time.Second

// finish tells how the pass went: the rule by its status, in one write and only if something changed; people by events;
// metrics. It returns what the queue is to do: nothing, a later look, or another try with backoff.
func (s *scope[O]) finish(ctx context.Context, failure error) (reconcile.Result, error) {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), statusTimeout)
		defer cancel()
		ctx = late
	case ctx.Err() != nil: // the operator ends
		s.Projector.triggers.restore(s.id.Key(), s.triggers)
		return reconcile.Result{}, ctx.Err()
	}
	s.emitWork()
	if errors.Is(failure, errOutdated) {
		s.Projector.triggers.restore(s.id.Key(), s.triggers)
		return reconcile.Result{RequeueAfter: cacheDelay}, nil
	}
	if errors.Is(failure, errWaiting) {
		s.Projector.triggers.restore(s.id.Key(), s.triggers)
		return reconcile.Result{RequeueAfter: s.config.Requeue}, nil
	}
	if s.isDeleting() && failure == nil && !s.isPending() {
		return reconcile.Result{}, nil
	}
	told := s.conditions(failure)
	s.recordMetrics(told)
	result, failure := s.queueResult(failure)
	s.setConditions(told)
	err := s.writeStatus(ctx)
	if err == nil {
		s.emitTrouble(told)
	}
	switch {
	case apierrors.IsConflict(err) && failure == nil:
		return reconcile.Result{RequeueAfter: cacheDelay}, nil
	case apierrors.IsConflict(err):
		return result, failure
	default:
		return result, errors.Join(failure, err)
	}
}

// queueResult splits what ended the pass into a later look and an error to try again.
func (s *scope[O]) queueResult(failure error) (reconcile.Result, error) {
	var stopped *stepError
	if errors.As(failure, &stopped) && stopped.cause == nil {
		return reconcile.Result{RequeueAfter: stopped.requeueAfter}, nil
	}
	pending := s.isPending()
	if failure != nil || pending {
		s.Projector.triggers.restore(s.id.Key(), s.triggers)
	}
	switch {
	case failure != nil:
		return reconcile.Result{}, failure
	case pending && errors.Is(s.run.active.Err(), context.DeadlineExceeded):
		return reconcile.Result{RequeueAfter: cacheDelay}, nil
	default:
		return reconcile.Result{RequeueAfter: s.retryAfter()}, nil
	}
}

// isDeleting tells whether the rule is being deleted.
func (s *scope[O]) isDeleting() bool { return !s.rule.GetDeletionTimestamp().IsZero() }

// writeStatus writes the status if it differs from the one that was read.
func (s *scope[O]) writeStatus(ctx context.Context) error {
	if equality.Semantic.DeepEqual(s.adapter.Status(s.before), s.adapter.Status(s.rule)) {
		s.statusWrites.confirm(s.id.Key(), s.adapter.Status(s.rule))
		return nil
	}
	s.statusWrites.record(s.id.Key(), s.adapter.Status(s.rule))
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := s.deps.Client.Status().Update(limited, s.rule)
	switch {
	case err == nil:
		s.statusWrites.record(s.id.Key(), s.adapter.Status(s.rule)) // as the API server has it
		s.latest.wrote(ctx, s.rule)
		return nil
	case apierr.IsObjectNotFound(err, s.rule.GetName()): // it was deleted, and has nobody to tell
		return nil
	default:
		s.statusWrites.forget(s.id.Key())
		s.latest.markUncertain(s.rule)
		return err
	}
}
