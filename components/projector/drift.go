package projector

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"projection.sh/operator/components/destination"
)

// soonestAgain is the least time until a rule is looked at again. So one pass serves many copies whose backoffs end one after
// the other.
const soonestAgain = time.Second

// again returns after what time the rule is to be looked at again though nothing wakes it; zero: never.
func (p *pass[O]) again() time.Duration {
	soonest := time.Duration(0)
	if p.isPending() { // a safeguard: the end of the request enqueues the rule
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

// namedManagers is how many field managers a note names; the others are counted.
const namedManagers = 3

// undone says what the operator has undone, and who had done it as far as that is known.
func undone(corrected []destination.Outcome) string {
	if created := with(corrected, destination.Created); len(created) == len(corrected) {
		return "created " + name(corrected) + " again, which somebody had deleted"
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
	return "undid what " + who + " changed in " + name(corrected)
}
