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
		for i := range g.parts {
			inSync += len(g.parts[i].targets)
		}
		left := 0
		for _, copies := range t.left {
			left += copies
		}
		held = saidHeld(rule)
		return inSync - left - len(t.failures) - held, len(t.failures), t.skipped + left, held
	}
	return 0, 0, 0, 0
}
