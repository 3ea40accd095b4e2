package oracle

import v1 "projection.sh/operator/api/v1"

// Destinations returns how many copies of a rule are in sync, failed and skipped. Namespaces in which no owner permits a copy are skipped, too.
func Destinations(state State, foreign Foreign, rule *v1.ClusterProjection) (inSync, failed, skipped int) {
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
		if said, plans := saidInSync(rule); plans {
			return said, len(t.failures), t.skipped
		}
		left := 0
		for _, copies := range t.left {
			left += copies
		}
		return inSync - left - len(t.failures), len(t.failures), t.skipped + left
	}
	return 0, 0, 0
}
