package projector

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"projection.sh/operator/components/answer"
)

// outdatedDelay gives the cache time to learn what the API server knows already.
const outdatedDelay = 50 * time.Millisecond

// lastWords is how long a pass that ran out of time may take to tell what it has found out.
const lastWords = 10 * time.Second

// finish tells how the pass went: the rule by its status, in one write and only if something changed; people by events;
// metrics. It returns what the queue is to do: nothing, a later look, or another try with backoff.
func (p *pass[O]) finish(ctx context.Context, failure error) (reconcile.Result, error) {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
		defer cancel()
		ctx = late
	case ctx.Err() != nil: // the operator ends
		p.causes.restore(p.id.Key(), p.woken)
		return reconcile.Result{}, ctx.Err()
	}
	p.announceWork()
	if errors.Is(failure, errOutdated) {
		p.causes.restore(p.id.Key(), p.woken)
		return reconcile.Result{RequeueAfter: outdatedDelay}, nil
	}
	if errors.Is(failure, errWaiting) {
		p.causes.restore(p.id.Key(), p.woken)
		return reconcile.Result{RequeueAfter: p.settings.Requeue}, nil
	}
	if p.leaving() && failure == nil && !p.isPending() {
		return reconcile.Result{}, nil
	}
	told := p.report(failure)
	p.count(told)
	result, failure := p.next(failure)
	p.tell(told)
	err := p.flush(ctx)
	if err == nil {
		p.announceTrouble(told)
	}
	switch {
	case apierrors.IsConflict(err) && failure == nil:
		return reconcile.Result{RequeueAfter: outdatedDelay}, nil
	case apierrors.IsConflict(err):
		return result, failure
	default:
		return result, errors.Join(failure, err)
	}
}

// next splits what ended the pass into a later look and an error to try again.
func (p *pass[O]) next(failure error) (reconcile.Result, error) {
	var stopped *halt
	if errors.As(failure, &stopped) && stopped.cause == nil {
		return reconcile.Result{RequeueAfter: stopped.again}, nil
	}
	pending := p.isPending()
	if failure != nil || pending {
		p.causes.restore(p.id.Key(), p.woken)
	}
	switch {
	case failure != nil:
		return reconcile.Result{}, failure
	case pending && errors.Is(p.run.way.Err(), context.DeadlineExceeded):
		return reconcile.Result{RequeueAfter: outdatedDelay}, nil
	default:
		return reconcile.Result{RequeueAfter: p.again()}, nil
	}
}

// leaving tells whether the rule is being deleted.
func (p *pass[O]) leaving() bool { return !p.rule.GetDeletionTimestamp().IsZero() }

// flush writes the status if it differs from the one that was read.
func (p *pass[O]) flush(ctx context.Context) error {
	if equality.Semantic.DeepEqual(p.rules.Status(p.before), p.rules.Status(p.rule)) {
		p.told.stands(p.id.Key(), p.rules.Status(p.rule))
		return nil
	}
	p.told.says(p.id.Key(), p.rules.Status(p.rule))
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := p.parts.Client.Status().Update(limited, p.rule)
	switch {
	case err == nil:
		p.told.says(p.id.Key(), p.rules.Status(p.rule)) // as the API server has it
		p.latest.wrote(ctx, p.rule)
		return nil
	case answer.Missing(err, p.rule.GetName()): // it was deleted, and has nobody to tell
		return nil
	default:
		p.told.forget(p.id.Key())
		p.latest.doubt(p.rule)
		return err
	}
}
