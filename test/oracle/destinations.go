package oracle

import v1 "projection.sh/operator/api/v1"

// Destinations returns how many copies of a rule are in sync, failed, skipped and, while the rule is suspended, held, as it says. Namespaces in which
// no owner permits a copy are skipped, too.
func Destinations(state State, foreign Foreign, rule *v1.ClusterProjection) (inSync, failed, skipped, held int) {
	w := newWorld(state, foreign)
	w.copies()
	for _, g := range w.groups {
		if g.rule != Rule(rule) {
			continue
		}
		t := w.tallyOf(g)
		failures := t.failures
		if wishOf(rule).suspended {
			failures = w.failuresOf(g)
		}
		for i := range g.parts {
			inSync += len(g.parts[i].targets)
		}
		left := 0
		for _, copies := range t.left {
			left += copies
		}
		held = saidHeld(rule)
		return inSync - left - len(failures) - held, len(failures), t.skipped + left, held
	}
	return 0, 0, 0, 0
}

// failuresOf returns the copies of a suspended rule that fail. An object in the way of which it does not know is none: it would create that copy.
func (w *world) failuresOf(g group) (failures []v1.NamespaceFailure) {
	for i := range g.parts {
		failures = append(failures, w.would(w.found(&g.parts[i])).failures...)
	}
	return failures
}
