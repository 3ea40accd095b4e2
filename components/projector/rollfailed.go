package projector

import (
	"fmt"
	"slices"
	"time"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/rollout"
)

// firstFailed returns the first copy that has failed of the wave that is being changed; -1: there is none.
func (r *rolling[O]) firstFailed() int {
	now := r.scope.clock()
	failed := slices.IndexFunc(r.targetOf, func(number int) bool {
		target := r.targets[number]
		return (target.State == rollout.Failed || r.strategy.HasMissedDeadline(target, now)) && target.Wave == r.turn.Wave
	})
	if failed >= 0 { // of several copies in the namespace, one that has failed
		copies := r.copies[r.targetOf[failed]]
		if at := slices.IndexFunc(copies, func(i int) bool { return r.outcomes[i].Failed() }); at >= 0 {
			return copies[at]
		}
	}
	return failed
}

// reportFailed reports a copy as failed whose last try has failed, unless it waits for an earlier wave. A write that failed without being refused is
// tried again after a backoff of its own: the queue's would delay the other copies, too.
func (r *rolling[O]) reportFailed(i int) {
	target, outcome := r.targets[r.targetOf[i]], r.outcomes[i]
	if target.State != rollout.Failed || target.Busy || !r.turn.Done && target.Wave > r.turn.Wave {
		return
	}
	desired := r.staged.copies[i]
	r.scope.remembered(func(remembered *memory.Rule) {
		if last, found := remembered.Failures.Last(r.staged.set.target(desired.At), desired.Rendered); found && isHeld(outcome) {
			last.Fields, last.RetryAfter = outcome.Fields, 0
			r.outcomes[i] = last
		}
	})
	if held, found := r.heldWrite(r.writeOf(r.staged.set, r.wanted.Targets[i], desired)); found {
		r.outcomes[i].RetryAfter = held.RetryAfter
	}
	if r.outcomes[i].RetryAfter == 0 {
		r.outcomes[i].RetryAfter = max(r.again, r.backoff())
	}
}

// backoff returns when copies are tried again whose writes have failed without being refused: for all of them the same.
func (r *rolling[O]) backoff() time.Duration {
	if r.pause == 0 {
		r.scope.remembered(func(remembered *memory.Rule) {
			r.pause = remembered.Rollout.Failures.Next(r.scope.clock(), r.scope.config.longestBackoff())
		})
	}
	return r.pause
}

// reportHealth counts the copies that are not healthy yet, and reports those as failed that have not become healthy in time.
func (r *rolling[O]) reportHealth() {
	now := r.scope.clock()
	for i, known := range r.health {
		outcome, target := &r.outcomes[i], r.targets[r.targetOf[i]]
		_, unhealthy := r.verdictOn(known, r.strategy.IsReadyAt(target, now))
		_, ahead := r.strategy.DeadlineOf(target, now)
		switch {
		case !unhealthy || target.State != rollout.Updated || !outcome.IsInSync():
		case !ahead:
			outcome.Reason = v1.ReasonDestinationNotHealthy
			outcome.Message = fmt.Sprintf("it has the present content, but was not healthy %.0f s after it was changed: %s; "+
				"nothing is undone; repair it, or change the source", r.strategy.Deadline.Seconds(), known.Reason)
			outcome.Repeated = known.Reported
		default:
			r.notHealthyYet++
		}
	}
}
