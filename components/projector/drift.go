package projector

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"projection.sh/operator/components/destination"
)

// soonestAgain keeps a fan-out from a pass for each copy whose repairs back off, at moments of their own.
const soonestAgain = time.Second

// again returns when a copy is to be looked at again though nothing wakes the rule; zero: none is.
func (p *pass[O]) again() time.Duration {
	soonest := time.Duration(0)
	if p.isPending() { // the end of a request enqueues the rule before
		soonest = p.settings.Requeue
	}
	for _, outcome := range p.outcomes {
		if outcome.Again > 0 && (soonest == 0 || outcome.Again < soonest) {
			soonest = outcome.Again
		}
	}
	if soonest == 0 {
		return 0
	}
	return max(soonest, soonestAgain)
}

// namedManagers is how many field managers a note names.
const namedManagers = 3

// undone tells what was undone, and whose doing it was as far as that is known.
func undone(corrected []destination.Outcome) string {
	if len(corrected) == 1 && corrected[0].Action == destination.Created {
		return "created " + name(corrected) + " again, which somebody had deleted"
	}
	managers := sets.New[string]()
	for _, outcome := range corrected {
		if outcome.ChangedBy != "" {
			managers.Insert(fmt.Sprintf("%q", outcome.ChangedBy))
		}
	}
	note := "undid what somebody changed in " + name(corrected)
	if names := sets.List(managers); len(names) > 0 {
		note = "undid what field manager " + strings.Join(names[:min(len(names), namedManagers)], ", ") + " changed in " + name(corrected)
	}
	return note
}
