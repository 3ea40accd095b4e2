package destination

import "k8s.io/apimachinery/pkg/types"

// namedOwner returns the rule that the object names as its owner, whichever place the object names.
func (s State) namedOwner() types.NamespacedName {
	if s.Elsewhere != (types.NamespacedName{}) {
		return s.Elsewhere
	}
	return s.Owner
}

// namesOwner reports whether the object names a rule as its owner, whichever place the object names.
func (s State) namesOwner() bool { return s.namedOwner() != (types.NamespacedName{}) }

// namesSameOwner reports whether the same object named the same rule before, and has not become Proven since.
func (s State) namesSameOwner(before State) bool {
	return s.UID == before.UID && s.Owner == before.Owner && s.Elsewhere == before.Elsewhere && (before.Proven || !s.Proven)
}

// countByOwner returns how many objects name a rule as their owner, and no other place than their own, by that rule.
func (x *copyIndex) countByOwner() map[types.NamespacedName]int {
	counts := make(map[types.NamespacedName]int, len(x.byOwner))
	for rule, places := range x.byOwner {
		counts[rule] = len(places)
	}
	for rule, places := range x.foreign {
		for at := range places {
			if x.entries[at].Owner == rule {
				counts[rule]++
			}
		}
	}
	return counts
}

// unreportedForeign returns the foreign objects that name the rule as their owner, are not at a planned place, and have not been
// returned before, by namespace and name.
func (x *copyIndex) unreportedForeign(rule types.NamespacedName, planned map[types.NamespacedName]bool) []Copy {
	var foreign []Copy
	for at := range x.foreign[rule] {
		if entry := x.entries[at]; !entry.reported && !planned[at] {
			entry.reported = true
			foreign = append(foreign, Copy{at, entry.State})
		}
	}
	return sorted(foreign)
}
