package projector

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"projection.sh/operator/components/projector/internal/memory"
)

// cacheDelay is when to reconcile again a rule of which the cache was outdated.
const cacheDelay = 50 * time.Millisecond

// immediateRetries is how many reconciles in a row may find the rule outdated before the next ones are delayed.
const immediateRetries = 3

// retryOutdated returns when to reconcile again a rule that was changed while it was reconciled.
//
// Example: a controller writes the rule ten times a second. Each reconcile fails with a conflict after a read and a write, so from
// the fourth on they come after 100, 200, 400, ... ms.
func (s *scope[O]) retryOutdated() reconcile.Result {
	var times int
	s.remembered(func(r *memory.Rule) {
		r.Outdated++
		times = r.Outdated
	})
	return reconcile.Result{RequeueAfter: outdatedDelay(times, s.config.Requeue)}
}

// outdatedDelay returns the delay after so many reconciles in a row that found the rule outdated.
func outdatedDelay(times int, most time.Duration) time.Duration {
	if times <= immediateRetries {
		return min(cacheDelay, most)
	}
	delay := firstRetry
	for n := immediateRetries + 1; n < times && delay < most; n++ {
		delay *= 2
	}
	return min(delay, most)
}
