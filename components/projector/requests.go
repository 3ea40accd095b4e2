package projector

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
)

// requestStep is a step of a reconcile that writes or deletes copies, several at a time.
type requestStep struct {
	*lane.Batch[destination.Outcome]
	turn context.Context //nolint:containedctx // it ends with the step
	end  context.CancelFunc
}

func (p *pass[O]) beginStep() requestStep {
	turn, end := p.run.turn()
	return requestStep{p.parts.Lanes.Open(p.waker, p.run.release), turn, end}
}

// wait returns when all requests have ended, or when the reconcile has to give way.
func (s requestStep) wait() {
	s.Wait(s.turn)
	s.end()
}

// request makes a request for the copy at a place, in the lane of its namespace, and sets the outcome: pending until the
// request has ended, in this reconcile or in a later one. Content is the hash that is to be written.
func (p *pass[O]) request(
	step requestStep, desk desk, at types.NamespacedName, content string,
	set func(destination.Outcome), do func(context.Context) destination.Outcome,
) {
	target, rule := desk.target(at), p.id.Key()
	left, found := p.left[target]
	if found && left.Err != nil && left.Content == content {
		p.failing.note(rule, target, left)
		set(left)
		return
	}
	pending := destination.Outcome{Target: at}
	if last, found := p.failing.last(rule, target, content); found {
		pending = last
	}
	pending.Pending = true
	set(pending)
	if p.isUnderWay(target) {
		return
	}
	step.Go(step.turn, target, func() destination.Outcome {
		outcome := p.guarded(p.run.base, at, do)
		outcome.Content = content
		return outcome
	}, func(outcome destination.Outcome) {
		p.failing.ended(rule, target)
		outcome.Standing = outcome.Standing && !found // what a request that ended since the last pass has found was not told yet
		set(outcome)
	})
}

// guarded makes the request. It turns a panic into a failure of this copy.
func (p *pass[O]) guarded(
	ctx context.Context, at types.NamespacedName, do func(context.Context) destination.Outcome,
) (outcome destination.Outcome) {
	err := p.recovering(ctx, func() error {
		outcome = do(ctx)
		return nil
	})
	if err != nil {
		return destination.Outcome{
			Target: at, Reason: v1.ReasonInternalError, Message: err.Error(),
			Err: &destination.TargetError{Target: at.String(), Sentence: err.Error()},
		}
	}
	return outcome
}

// isUnderWay reports whether an earlier reconcile has made a request for the target that had not ended when this one began.
func (p *pass[O]) isUnderWay(target lane.Target) bool {
	_, found := p.underWay[target]
	return found
}

// isPending reports whether a request is under way, or was not made because there was no slot or no time.
func (p *pass[O]) isPending() bool {
	if len(p.underWay) > 0 {
		return true
	}
	for _, outcomes := range [][]destination.Outcome{p.outcomes, p.removals} {
		for _, outcome := range outcomes {
			if outcome.Pending {
				return true
			}
		}
	}
	return false
}

func (d desk) target(at types.NamespacedName) lane.Target {
	return lane.Target{Resource: d.Resource.GroupResource(), NamespacedName: at}
}
