package destination

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// namedOwner returns the rule that the object names as its owner, whichever place the object names.
func (s State) namedOwner() types.NamespacedName {
	if s.Elsewhere != (types.NamespacedName{}) {
		return s.Elsewhere
	}
	return s.Owner
}

// namesSameOwner reports whether the same object named the same rule before, and has not become Proven since.
func (s State) namesSameOwner(before State) bool {
	return s.UID == before.UID && s.Owner == before.Owner && s.Elsewhere == before.Elsewhere && (before.Proven || !s.Proven)
}

// UnreportedForeign returns the foreign objects that name the rule as their owner, are not at a planned place, and have not been
// returned before, by namespace and name.
func (c *CopyCache) UnreportedForeign(rule types.NamespacedName, planned map[types.NamespacedName]bool) []Copy {
	c.mu.Lock()
	defer c.mu.Unlock()
	var foreign []Copy
	for at := range c.foreign[rule] {
		if entry := c.copies[at]; !entry.reported && !planned[at] {
			entry.reported = true
			foreign = append(foreign, Copy{at, entry.State})
		}
	}
	return sorted(foreign)
}

func sorted(copies []Copy) []Copy {
	slices.SortFunc(copies, func(a, b Copy) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return copies
}

// placesOf returns where the rule has copies, where it wants one, and where foreign objects name it.
func (c *CopyCache) placesOf(rule types.NamespacedName) []types.NamespacedName {
	var at []types.NamespacedName
	for _, index := range []placeIndex{c.byOwner, c.foreign, c.missing} {
		at = slices.AppendSeq(at, maps.Keys(index[rule]))
	}
	return at
}
