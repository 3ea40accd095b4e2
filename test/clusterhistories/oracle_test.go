package clusterhistories_test

import (
	"maps"
	"slices"
)

// claim says that a rule wants a copy of the color.
type claim struct{ rule, color string }

// permits reports whether the owner of the source consents to copies of the rule in the cluster.
func (s source) permits(r rule, cluster string) bool {
	exported := func(to string) bool { return s.exportable == "true" || s.exportable == to }
	return s.projectable == "true" && (!r.isPulled() || exported(hubName)) && (cluster == hubName || exported(cluster))
}

// wanted returns which rules want a copy where, whatever is in the way.
func (w world) wanted() map[place][]claim {
	all := map[place][]claim{}
	for _, name := range slices.Sorted(maps.Keys(w.rules)) {
		r := w.rules[name]
		original, exists := w.sources[r.from]
		for _, cluster := range w.targets(r) {
			if !exists || !original.permits(r, cluster) {
				continue
			}
			places, _ := w.places(r, cluster)
			for _, at := range places {
				all[at] = append(all[at], claim{name, original.color})
			}
		}
	}
	return all
}

// kept returns the places of copies that nothing permits to delete, since a cluster cannot be asked: that of the copy, or that of the source.
func (w world) kept() map[place]bool {
	all := map[place]bool{}
	for _, r := range w.rules {
		from := w.clusters[r.from.cluster]
		if !from.cut && !from.undeclared {
			continue
		}
		for _, cluster := range w.targets(r) {
			places, _ := w.places(r, cluster)
			for _, at := range places {
				all[at] = true
			}
		}
	}
	return all
}

// mayWrite reports whether there may be a write of a copy at the place.
func (w world) mayWrite(at place) bool {
	return len(w.wanted()[at]) > 0 && w.isUsable(at.cluster)
}

// mayDelete reports whether a copy at the place may be deleted.
func (w world) mayDelete(at place) bool {
	return len(w.wanted()[at]) == 0 && !w.kept()[at] && w.isUsable(at.cluster)
}

func (w world) isUsable(cluster string) bool { return !w.clusters[cluster].cut && !w.clusters[cluster].paused }

// failing returns the clusters in which the rule lacks a copy that it is to have, if it has any to have: those that are not permitted, lack a namespace, or
// have something else in the place of the copy. The owners are the rules that have the copies.
func (w world) failing(name string, owners map[place]string) (clusters []string) {
	r := w.rules[name]
	original, exists := w.sources[r.from]
	for _, cluster := range w.targets(r) {
		places, missing := w.places(r, cluster)
		fails := len(missing) > 0 || !exists || !original.permits(r, cluster)
		for _, at := range places {
			fails = fails || owners[at] != name
		}
		if fails {
			clusters = append(clusters, cluster)
		}
	}
	return clusters
}
