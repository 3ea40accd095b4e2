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

func (s *scope[O]) beginStep() requestStep {
	turn, end := s.run.stepContext()
	return requestStep{s.deps.Lanes.Open(s.key, s.run.release), turn, end}
}

// wait returns when all requests have ended, or when the reconcile has to give way.
func (s requestStep) wait() {
	s.Wait(s.turn)
	s.end()
}

// request makes a request for the copy at a place, in the lane of its namespace, and sets the outcome: pending until the
// request has ended, in this reconcile or in a later one. Content is the hash that is to be written.
func (s *scope[O]) request(
	step requestStep, set copySet, at types.NamespacedName, content string,
	record func(destination.Outcome), do func(context.Context) destination.Outcome,
) {
	target, rule := set.target(at), s.id.Key()
	left, found := s.late[target]
	if found && left.Err != nil && left.Content == content {
		s.lastFailures.note(rule, target, left)
		record(left)
		return
	}
	pending := destination.Outcome{Target: at}
	if last, found := s.lastFailures.last(rule, target, content); found {
		pending = last
	}
	pending.Pending = true
	record(pending)
	if s.isUnderWay(target) {
		return
	}
	step.Go(step.turn, target, func() destination.Outcome {
		outcome := s.catchCopyPanic(s.run.base, at, do)
		outcome.Content = content
		return outcome
	}, func(outcome destination.Outcome) {
		s.lastFailures.ended(rule, target)
		outcome.Repeated = outcome.Repeated && !found // what a request that ended since the last pass has found was not told yet
		record(outcome)
	})
}

// catchCopyPanic makes the request. It turns a panic into a failure of this copy.
func (s *scope[O]) catchCopyPanic(
	ctx context.Context, at types.NamespacedName, do func(context.Context) destination.Outcome,
) (outcome destination.Outcome) {
	err := s.catchPanic(ctx, func() error {
		outcome = do(ctx)
		return nil
	})
	if err != nil {
		return destination.Outcome{
			Target: at, Reason: v1.ReasonInternalError, Message: err.Error(),
			Err: &destination.TargetError{Target: at.String(), Message: err.Error()},
		}
	}
	return outcome
}

// isUnderWay reports whether an earlier reconcile has made a request for the target that had not ended when this one began.
func (s *scope[O]) isUnderWay(target lane.Target) bool {
	_, found := s.underWay[target]
	return found
}

// isPending reports whether a request is under way, or was not made because there was no slot or no time.
func (s *scope[O]) isPending() bool {
	if len(s.underWay) > 0 {
		return true
	}
	for _, outcomes := range [][]destination.Outcome{s.outcomes, s.removals} {
		for _, outcome := range outcomes {
			if outcome.Pending {
				return true
			}
		}
	}
	return false
}

func (s copySet) target(at types.NamespacedName) lane.Target {
	return lane.Target{Resource: s.Resource.GroupResource(), NamespacedName: at}
}
