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

// isUnknown reports whether the cluster of the source cannot be asked.
func (w world) isUnknown(r rule) bool {
	return w.clusters[r.from.cluster].cut || w.clusters[r.from.cluster].undeclared
}

// isLost is isUnknown for a source that certainly cannot be read: a RemoteCluster that waits for the copies there can be used.
func (w world) isLost(r rule) bool {
	return w.clusters[r.from.cluster].cut || w.clusters[r.from.cluster].gone
}

// isKept reports whether there is a rule for the place whose source is not known, so that nothing permits to delete its copy there.
func (w world) isKept(at place) bool {
	for _, r := range w.rules {
		places, _ := w.places(r, at.cluster)
		if w.isLost(r) && slices.Contains(w.targets(r), at.cluster) && slices.Contains(places, at) {
			return true
		}
	}
	return false
}

// mayStay reports whether the copy at the place may stay although its rule gives its copies another name since: that place is not free.
func (w world) mayStay(at place, owners map[place]string) bool {
	name := owners[at]
	r, exists := w.rules[name]
	renamed := place{at.cluster, at.role, r.as}
	isOf := func(c claim) bool { return c.rule == name }
	return exists && renamed != at && owners[renamed] != name && slices.ContainsFunc(w.wanted()[renamed], isOf)
}

// reading returns the world with the sources of an earlier one.
func (w world) reading(former world) world {
	w.sources = former.sources
	return w
}

// inNamespaces returns the world with the namespaces of the cluster of an earlier one.
func (w world) inNamespaces(cluster string, former world) world {
	isThere := func(where space, _ bool) bool { return where.cluster == cluster }
	w.spaces = maps.Clone(w.spaces)
	maps.DeleteFunc(w.spaces, isThere)
	for where, labelled := range former.spaces {
		if isThere(where, labelled) {
			w.spaces[where] = labelled
		}
	}
	return w
}

// mayWrite reports whether there may be a write of a copy at the place.
func (w world) mayWrite(at place) bool { return len(w.wanted()[at]) > 0 && w.isUsable(at.cluster) }

// mayDelete reports whether the copy at the place of one of the rules may be deleted.
func (w world) mayDelete(at place, of []string) bool {
	claims := w.wanted()[at]
	isOver := func(rule string) bool {
		return !slices.ContainsFunc(claims, func(c claim) bool { return c.rule == rule })
	}
	return (len(claims) == 0 || slices.ContainsFunc(of, isOver)) && !w.isKept(at) && w.isUsable(at.cluster)
}

// isUsable reports whether the operator can and may write into the cluster.
func (w world) isUsable(cluster string) bool {
	return !w.clusters[cluster].cut && !w.clusters[cluster].paused
}

// isSettled reports whether the place has what it is to have when the operator has done what it can do now. A rule whose source is not known may have copies
// at places where it wanted them before. They have a name that those of no other rule have.
func (w world) isSettled(at place) bool {
	for _, r := range w.rules {
		if r.as == at.name && w.isUnknown(r) {
			return false
		}
	}
	return w.isUsable(at.cluster)
}

// isReported reports whether the rule says what failing returns, when the operator has done what it can do now.
func (w world) isReported(r rule) bool {
	for _, name := range []string{eastName, westName} {
		if cluster := w.clusters[name]; r.isPushed() && (cluster.cut || cluster.paused || cluster.undeclared) {
			return false
		}
	}
	return !w.isUnknown(r)
}

// isRefused reports whether there is no source, or its owner consents to no copy of the rule at all.
func (w world) isRefused(r rule) bool {
	original, exists := w.sources[r.from]
	return !exists || !original.permits(r, hubName)
}

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
