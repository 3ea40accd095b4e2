package destination

import (
	"errors"

	"k8s.io/apimachinery/pkg/types"
)

// KnownConflict returns the outcome of a copy of that content in whose place the rule has found a foreign object, if nothing has happened there since. It
// makes no request.
func (w *Writer) KnownConflict(set CopySet, at types.NamespacedName, content string) (Outcome, bool) {
	inTheWay, found := errors.AsType[*conflictError](w.Blockers.Finding(set.ruleKey(), set.Resource, at))
	if !found || !inTheWay.holds(set, content) {
		return Outcome{}, false
	}
	return inTheWay.outcome(Outcome{Place: set.Place(at), Repeated: true}), true
}

// knownConflict returns what was found in the way when the place was last looked at, if nothing has happened there since.
// Then there is nothing to ask the API server. What was found for an earlier rule of that name, or under another policy, does not count. Otherwise
// the place is no longer waited for: the copy that is about to be written there enqueues nobody.
func (a *attempt) knownConflict(known State) error {
	at, key := a.outcome.Place.NamespacedName, a.set.ruleKey()
	if !known.Exists() {
		finding := a.writer.Blockers.Finding(key, a.set.Resource, at)
		if inTheWay, ok := errors.AsType[*conflictError](finding); ok && inTheWay.holds(a.set, a.rendered) {
			a.outcome.Repeated = true
			return finding
		}
	}
	a.writer.Blockers.Unwatch(key, a.set.Resource, at)
	return nil
}
