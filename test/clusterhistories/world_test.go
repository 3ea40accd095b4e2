package clusterhistories_test

import (
	"maps"
	"slices"
)

// world is what people have declared: everything that decides which copies there are to be.
type world struct {
	clusters map[string]member
	rules    map[string]rule
	sources  map[place]source
	spaces   map[space]bool // the namespaces for copies; true: it has the label that rules select
	foreign  map[place]bool // objects of others where copies may be
}

// member is a cluster.
type member struct {
	undeclared, paused, cut bool
	replaced                bool // another cluster answers in its place; then it is cut, too
	gone                    bool // its RemoteCluster has been deleted, and does not wait for the copies there
	labelled                bool // its RemoteCluster has the label that rules select
}

// space is a namespace for copies.
type space struct{ cluster, role string }

// place is where an object may be.
type place struct{ cluster, role, name string }

// source is an object that may be copied.
type source struct{ color, projectable, exportable string }

// rule copies a source.
type rule struct {
	from     place
	isTenant bool     // it is a Projection, in the only one of its roles
	into     []string // clusters
	labelled bool     // into those that are labelled instead
	roles    []string // namespaces for copies
	selects  bool     // into those that are labelled instead
	as       string   // the name of the copies
}

func newWorld() world {
	return world{
		clusters: map[string]member{hubName: {}, eastName: {}, westName: {}}, rules: map[string]rule{},
		sources: map[place]source{}, spaces: map[space]bool{}, foreign: map[place]bool{},
	}
}

func (w world) clone() world {
	return world{
		clusters: maps.Clone(w.clusters), rules: maps.Clone(w.rules), sources: maps.Clone(w.sources), spaces: maps.Clone(w.spaces), foreign: maps.Clone(w.foreign),
	}
}

// isPulled reports whether the source is in another cluster than the hub.
func (r rule) isPulled() bool { return r.from.cluster != hubName }

// isPushed reports whether the copies are in other clusters than the hub.
func (r rule) isPushed() bool { return r.labelled || !slices.Equal(r.into, []string{hubName}) }

// targets returns the clusters that the rule copies into.
func (w world) targets(r rule) (names []string) {
	for _, name := range []string{hubName, eastName, westName} {
		cluster := w.clusters[name]
		isTarget := slices.Contains(r.into, name)
		if r.labelled {
			isTarget = name != hubName && cluster.labelled
		}
		if isTarget && !cluster.undeclared {
			names = append(names, name)
		}
	}
	return names
}

// places returns where in the cluster the rule has copies if its source consents, and the listed namespaces that do not exist.
func (w world) places(r rule, cluster string) (found []place, missing []string) {
	for _, role := range []string{"n1", "n2"} {
		labelled, exists := w.spaces[space{cluster, role}]
		switch {
		case r.selects && labelled, !r.selects && exists && slices.Contains(r.roles, role):
			found = append(found, place{cluster, role, r.as})
		case !r.selects && !exists && slices.Contains(r.roles, role):
			missing = append(missing, role)
		}
	}
	return found, missing
}
