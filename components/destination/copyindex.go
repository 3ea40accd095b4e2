package destination

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// copyIndex is the state machine of a CopyCache. It takes events of the watch and answers to requests, and returns the rules that
// have to be enqueued for them. It makes no call, has no lock, and reads no clock but the one that it is given.
type copyIndex struct {
	listed      bool
	lastVersion string // newest resourceVersion of the last list and the watch since
	entries     map[types.NamespacedName]*entry
	repairs     *repairs
	// byOwner are the places of copies by their Owner. Objects that are not Proven are left out.
	byOwner placeIndex
	// foreign are the places of objects that are not Proven, by the rule that they name as their owner.
	foreign placeIndex
	// missing are places without an object, by the rule that wants a copy there.
	missing placeIndex
	// suspended are the rules for which nothing is written or deleted.
	suspended map[types.NamespacedName]struct{}
	// followed are the copies that rules follow, with the resourceVersion that the rule has seen.
	followed map[types.NamespacedName]map[types.NamespacedName]string
}

func newCopyIndex(clock func() time.Time) *copyIndex {
	return &copyIndex{
		entries: map[types.NamespacedName]*entry{},
		repairs: newRepairs(clock),
		byOwner: placeIndex{}, foreign: placeIndex{}, missing: placeIndex{}, suspended: map[types.NamespacedName]struct{}{},
		followed: map[types.NamespacedName]map[types.NamespacedName]string{},
	}
}

// Copy is an object with the State that is known of it.
type Copy struct {
	types.NamespacedName
	State
}

// unplanned returns the copies of the rule that are not at a planned place, by namespace and name.
func (x *copyIndex) unplanned(rule types.NamespacedName, planned map[types.NamespacedName]bool) []Copy {
	return x.selected(rule, func(at types.NamespacedName, _ *State) bool { return !planned[at] })
}

// selected returns the copies of the rule of which the function holds, by namespace and name.
func (x *copyIndex) selected(rule types.NamespacedName, holds func(at types.NamespacedName, copied *State) bool) []Copy {
	var copies []Copy
	for at := range x.byOwner[rule] {
		if e := x.entries[at]; holds(at, &e.State) {
			copies = append(copies, Copy{at, e.State})
		}
	}
	return sorted(copies)
}

// appliedFields returns what our field manager owns of the copy at a place that is in sync; unknown if no copy is wanted there.
func (x *copyIndex) appliedFields(at types.NamespacedName) Fields {
	if entry, known := x.entries[at]; known {
		return entry.fields
	}
	return 0
}

// known returns what is known of the object at a place, without its resourceVersion.
func (x *copyIndex) known(at types.NamespacedName) State {
	entry, found := x.entries[at]
	if !found {
		return State{}
	}
	state := entry.State
	state.ResourceVersion = ""
	return state
}

// forget ends what the rule wants, everywhere.
func (x *copyIndex) forget(rule types.NamespacedName) {
	delete(x.suspended, rule)
	delete(x.followed, rule)
	for _, at := range x.placesOf(rule) {
		x.update(at, func(e *entry) {
			if e.desiredBy == rule {
				e.desired, e.inProgress = "", false
			}
		})
	}
}

// placesOf returns where the rule has copies, where it wants one, and where foreign objects name it.
func (x *copyIndex) placesOf(rule types.NamespacedName) []types.NamespacedName {
	var at []types.NamespacedName
	for _, index := range []placeIndex{x.byOwner, x.foreign, x.missing} {
		at = slices.AppendSeq(at, maps.Keys(index[rule]))
	}
	return at
}

// update changes the entry of a place, and brings the indexes up to date. An entry that concerns no rule is removed: no rule wants
// a copy there, and there is no object, or one that names no owner.
// Example: a tenant creates 50,000 objects with our label and without our annotation. None of them is kept.
func (x *copyIndex) update(at types.NamespacedName, change func(*entry)) {
	e, known := x.entries[at]
	if !known {
		e = &entry{}
		x.entries[at] = e
	}
	uid := e.UID
	x.byOwner.remove(e.Owner, at)
	x.foreign.remove(e.namedOwner(), at)
	x.missing.remove(e.desiredBy, at)
	change(e)
	e.intern()
	if e.desired == "" {
		x.repairs.forget(at)
	}
	e.reported = e.reported && e.UID == uid
	switch {
	case e.namesOwner() && e.Proven:
		x.byOwner.add(e.Owner, at)
	case e.namesOwner():
		x.foreign.add(e.namedOwner(), at)
	case e.desired == "":
		delete(x.entries, at)
	case !e.Exists():
		x.missing.add(e.desiredBy, at)
	}
}

func sorted(copies []Copy) []Copy {
	slices.SortFunc(copies, func(a, b Copy) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return copies
}
