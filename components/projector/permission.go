package projector

import (
	"fmt"
	"slices"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
)

// noneSelectedIsPermitted says why a rule has no targets whose selector matches namespaces.
const noneSelectedIsPermitted = "the owner of the source permits a copy in none of the selected namespaces"

// found says that the source was found, and in how many of the selected namespaces its owner permits a copy, if not in all.
func (s *scope[O]) found() string {
	if s.spec.Selects() {
		return s.foundSelected()
	}
	found, skipped := s.kind.Found(s.spec.Source)+s.foundLayers(), s.local.wanted.Skipped
	if s.spec.MergesSelected() {
		found = s.foundSelected() + s.foundLayers()
	}
	if skipped == 0 {
		return found
	}
	targets := len(s.local.wanted.Targets)
	if targets == 0 {
		return fmt.Sprintf("%s; its owner permits copies in none of the %d selected namespaces", found, skipped)
	}
	return fmt.Sprintf("%s; its owner permits copies in %d of the %d selected namespaces", found, targets, targets+skipped)
}

// hasNone reports whether there is nothing to copy, or the owner of the source permits no copy where the rule wants them, and every copy has been
// deleted. A copy that the rule does without is none.
func (m *memberScope[O]) hasNone() bool {
	if m.scope.isSuspended() || !m.isPruned { // a copy that has lost its label stays, or may not be known
		return false
	}
	refused := len(m.outcomes) > 0 && !slices.ContainsFunc(m.outcomes, func(o destination.Outcome) bool { return !isNotPermitted(o) && !o.Skipped })
	if m.scope.whyNoCopy().Reason != "" {
		return m.summarizeCopies() == (policy.Problem{}) && m.inventoryErr == nil
	}
	return refused && m.inventoryErr == nil && !m.isPending() && count(destination.Outcome.Failed, m.removals) == 0
}

// awaitRevoked reports a copy that is not permitted and not deleted yet as one that is being deleted, once.
func (m *memberScope[O]) awaitRevoked() {
	for i, outcome := range m.outcomes {
		if !isNotPermitted(outcome) {
			continue
		}
		waits := func(removal destination.Outcome) bool {
			sameName := removal.Place == outcome.Place || outcome.Place.Name == "" // of the copy that is not permitted, the name may not be known
			return removal.Pending && !removal.Failed() && sameName && removal.Place.Namespace == outcome.Place.Namespace
		}
		if waiting := slices.IndexFunc(m.removals, waits); waiting >= 0 {
			m.outcomes[i] = destination.Outcome{Place: m.removals[waiting].Place, Pending: true}
			m.removals = slices.DeleteFunc(m.removals, waits)
		}
	}
}

// isNotPermitted reports whether the owner of the source does not permit the copy.
func isNotPermitted(outcome destination.Outcome) bool {
	return outcome.Reason == v1.ReasonDestinationNotPermitted
}
