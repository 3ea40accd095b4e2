package projector

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"projection.sh/operator/components/destination"
)

// minRetryAfter is the least time until a rule is looked at again. So one pass serves many copies whose backoffs end one after
// the other.
const minRetryAfter = time.Second

// retryAfter returns after what time the rule is to be looked at again though nothing wakes it; zero: never.
func (s *scope[O]) retryAfter() time.Duration {
	soonest := time.Duration(0)
	if s.isPending() { // a safeguard: the end of the request enqueues the rule
		soonest = s.config.Requeue
	}
	for _, outcome := range s.outcomes {
		if outcome.RetryAfter > 0 && (soonest == 0 || outcome.RetryAfter < soonest) {
			soonest = outcome.RetryAfter
		}
	}
	if soonest == 0 {
		return 0
	}
	return max(soonest, minRetryAfter)
}

// namedManagers is how many field managers a note names; the others are counted.
const namedManagers = 3

// describeCorrected says what the operator has undone, and who had done it as far as that is known.
func describeCorrected(corrected []destination.Outcome) string {
	if created := withAction(corrected, destination.Created); len(created) == len(corrected) {
		return "created " + describe(corrected) + " again, which somebody had deleted"
	}
	found := sets.New[string]()
	for _, outcome := range corrected {
		if outcome.ChangedBy != "" {
			found.Insert(strconv.Quote(outcome.ChangedBy))
		}
	}
	managers, who := sets.List(found), "somebody"
	switch named := strings.Join(managers[:min(len(managers), namedManagers)], ", "); {
	case len(managers) == 1:
		who = "field manager " + named
	case len(managers) > namedManagers:
		who = fmt.Sprintf("field managers %s and %d more", named, len(managers)-namedManagers)
	case len(managers) > 0:
		who = "field managers " + named
	}
	return "undid what " + who + " changed in " + describe(corrected)
}
