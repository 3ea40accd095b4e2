package projector

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"projection.sh/operator/components/destination"
)

// withAction returns the outcomes that are of the action.
func withAction(outcomes []destination.Outcome, action destination.Action) []destination.Outcome {
	return filter(func(o destination.Outcome) bool { return o.Action == action }, outcomes)
}

// filter returns the outcomes of which the function holds. Of thousands, it mostly holds of none.
func filter(holds func(destination.Outcome) bool, lists ...[]destination.Outcome) []destination.Outcome {
	var found []destination.Outcome
	for _, outcomes := range lists {
		for i := range outcomes {
			if holds(outcomes[i]) {
				found = append(found, outcomes[i])
			}
		}
	}
	return found
}

// count returns of how many outcomes the function holds.
func count(holds func(destination.Outcome) bool, lists ...[]destination.Outcome) int {
	total := 0
	for _, outcomes := range lists {
		for i := range outcomes {
			if holds(outcomes[i]) {
				total++
			}
		}
	}
	return total
}

// describe names one copy, or counts several.
func describe(outcomes []destination.Outcome) string {
	if len(outcomes) == 1 {
		return "the copy " + outcomes[0].Place.String()
	}
	return strconv.Itoa(len(outcomes)) + " copies"
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

func (m *memberScope[O]) didSomething() bool {
	for _, outcomes := range [][]destination.Outcome{m.outcomes, m.removals} {
		for _, outcome := range outcomes {
			if outcome.Action != destination.Unchanged {
				return true
			}
		}
	}
	return false
}
