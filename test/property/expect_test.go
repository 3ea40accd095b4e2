package property_test

import (
	"slices"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// States that the plugin says of copies.
const (
	stateInSync    = "InSync"
	stateExists    = "Exists"
	stateOutOfSync = "OutOfSync"
	stateMissing   = "Missing"
	stateForeign   = "Foreign"
	stateNotTarget = "NotTarget"
	stateBlocked   = "Blocked"
	stateRefused   = "Refused"
)

// claim is what the plugin says of one copy, or of all copies of a source.
type claim struct {
	state  string
	at     oracle.Place
	reason string
}

// takes tells whether the oracle says so, too, and removes it from the verdicts.
func takes(verdicts *oracle.Verdicts, said claim) (known bool) {
	switch said.state {
	case stateInSync:
		return takeInSync(verdicts, said.at) || takeHeld(verdicts, said.at, oracle.Current)
	case stateExists:
		return takeInSync(verdicts, said.at) || takeHeld(verdicts, said.at, oracle.Current, oracle.Stale)
	case stateOutOfSync:
		return takeFailure(verdicts, said.at, v1.ReasonDestinationUpdateFailed) || takeHeld(verdicts, said.at, oracle.Current, oracle.Stale)
	case stateMissing:
		return takeHeld(verdicts, said.at, oracle.Absent)
	case stateForeign:
		return takeSkipped(verdicts, said.at) || takeFailure(verdicts, said.at, v1.ReasonDestinationConflict) || takeHeld(verdicts, said.at, oracle.Other)
	case stateBlocked:
		verdicts.Failed, known = without(verdicts.Failed, func(f oracle.Failure) bool {
			return f.Namespace == said.at.Namespace && f.Reason == said.reason
		})
	case stateRefused:
		verdicts.None, known = without(verdicts.None, func(reasons []string) bool { return slices.Contains(reasons, said.reason) })
	}
	return known
}

func takeInSync(verdicts *oracle.Verdicts, at oracle.Place) (known bool) {
	verdicts.InSync, known = without(verdicts.InSync, func(place oracle.Place) bool { return place == at })
	return known
}

func takeSkipped(verdicts *oracle.Verdicts, at oracle.Place) (known bool) {
	verdicts.Skipped, known = without(verdicts.Skipped, func(place oracle.Place) bool { return place == at })
	return known
}

func takeFailure(verdicts *oracle.Verdicts, at oracle.Place, reason string) (known bool) {
	verdicts.Failed, known = without(verdicts.Failed, func(f oracle.Failure) bool { return f.Place == at && f.Reason == reason })
	return known
}

func takeHeld(verdicts *oracle.Verdicts, at oracle.Place, standings ...oracle.Standing) (known bool) {
	verdicts.Held, known = without(verdicts.Held, func(held oracle.Held) bool { return held.Place == at && slices.Contains(standings, held.Standing) })
	return known
}

// without removes the first element that matches, and tells whether there is one.
func without[T any](from []T, matches func(T) bool) ([]T, bool) {
	at := slices.IndexFunc(from, matches)
	if at < 0 {
		return from, false
	}
	return slices.Delete(slices.Clone(from), at, at+1), true
}

// in returns the verdicts on copies in the namespace, and on sources.
func in(verdicts oracle.Verdicts, namespace string) oracle.Verdicts {
	elsewhere := func(at oracle.Place) bool { return at.Namespace != namespace }
	verdicts.InSync = slices.DeleteFunc(slices.Clone(verdicts.InSync), elsewhere)
	verdicts.Skipped = slices.DeleteFunc(slices.Clone(verdicts.Skipped), elsewhere)
	verdicts.Held = slices.DeleteFunc(slices.Clone(verdicts.Held), func(held oracle.Held) bool { return elsewhere(held.Place) })
	verdicts.Failed = slices.DeleteFunc(slices.Clone(verdicts.Failed), func(f oracle.Failure) bool { return elsewhere(f.Place) })
	return verdicts
}
