package projector

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/projector/internal/memory"
)

// requestStep is a step of a reconcile that writes or deletes copies, several at a time.
type requestStep struct {
	*lane.Batch[destination.Outcome]
	ctx context.Context //nolint:containedctx // it ends with the step
	end context.CancelFunc
}

func (m *memberScope[O]) beginStep() requestStep {
	ctx, end := m.scope.run.stepContext()
	return requestStep{m.member.Writes.Open(m.scope.key, m.scope.run.release), ctx, end}
}

// wait returns when all requests have ended, or when the reconcile has to give way.
func (s requestStep) wait() {
	s.Wait(s.ctx)
	s.end()
}

// job is a write or a deletion of one copy.
type job struct {
	set     copySet
	at      types.NamespacedName
	content string // the hash that is to be written; empty for a deletion
	wanted  string // what the copy is compared with; of a copy that keeps its content, another one
	basis   uint64 // of a write
	// Of a request for a copy that is not planned: what it does, and whether the copy is being deleted already.
	ends   destination.Action
	ending bool
}

// request makes a request for the copy at a place, in the lane of its namespace, and sets the outcome: pending until the
// request has ended, in this reconcile or in a later one. For a suspended rule, it only says what would be requested.
func (m *memberScope[O]) request(step requestStep, job job, record func(destination.Outcome), do func(context.Context) destination.Outcome) {
	if m.scope.isSuspended() {
		record(m.hold(job))
		return
	}
	target, place := job.set.target(job.at), job.set.Place(job.at)
	late, found := m.late[target]
	if found && late.Err != nil && late.Content == job.content && late.User == job.set.User {
		record(m.rememberFailure(target, late))
		return
	}
	record(m.pending(place, target, job))
	if m.isUnderWay(target) {
		return
	}
	step.Go(step.ctx, target, func() destination.Outcome {
		outcome := m.catchCopyPanic(m.scope.run.base, place, do)
		outcome.Content, outcome.Basis, outcome.User = job.content, job.basis, job.set.User
		return outcome
	}, func(outcome destination.Outcome) {
		outcome.Repeated = outcome.Repeated && !found // the failure of a request that ended late was not reported yet
		record(m.rememberEnd(target, outcome))
	})
}

// pending returns the outcome of a copy whose request has not ended. If the request before has failed, the outcome says so still, unless that was
// made in the name of another user.
func (m *memberScope[O]) pending(place destination.Place, target lane.Target, job job) (outcome destination.Outcome) {
	m.scope.remembered(func(r *memory.Rule) {
		if last, found := r.Failures.Last(target, job.content); found && last.User == job.set.User {
			outcome = last
		}
	})
	outcome.Place, outcome.Pending = place, true
	return outcome
}

// catchCopyPanic makes the request. It turns a panic into a failure of this copy.
func (m *memberScope[O]) catchCopyPanic(
	ctx context.Context, place destination.Place, do func(context.Context) destination.Outcome,
) (outcome destination.Outcome) {
	err := m.scope.catchPanic(ctx, func() error {
		outcome = do(ctx)
		return nil
	})
	if err != nil {
		return destination.Outcome{
			Place: place, Reason: v1.ReasonInternalError, Message: err.Error(),
			Err: &destination.TargetError{Target: place.String(), Message: err.Error()},
		}
	}
	return outcome
}

// isUnderWay reports whether an earlier reconcile has made a request for the target that had not ended when this one began.
func (m *memberScope[O]) isUnderWay(target lane.Target) bool {
	_, found := m.underWay[target]
	return found
}

// isPending reports whether a request is under way, or was not made because there was no slot or no time.
func (m *memberScope[O]) isPending() bool {
	if len(m.underWay) > 0 {
		return true
	}
	for _, outcomes := range [][]destination.Outcome{m.outcomes, m.removals} {
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
