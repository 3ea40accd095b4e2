package destination

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// named returns the rule that the object names as its owner, whichever place the object names.
func (s State) named() types.NamespacedName {
	if s.Elsewhere != (types.NamespacedName{}) {
		return s.Elsewhere
	}
	return s.Owner
}

// namedAlike reports whether the same object named the same rule before, and has not become Proven since.
func (s State) namedAlike(before State) bool {
	return s.UID == before.UID && s.Owner == before.Owner && s.Elsewhere == before.Elsewhere && (before.Proven || !s.Proven)
}

// Untold returns the foreign objects that name the rule as their owner, are not at a planned place, and have not been
// returned before, by namespace and name.
func (l *Ledger) Untold(rule types.NamespacedName, planned map[types.NamespacedName]bool) []Copy {
	l.mu.Lock()
	defer l.mu.Unlock()
	var foreign []Copy
	for at := range l.foreign[rule] {
		if entry := l.copies[at]; !entry.told && !planned[at] {
			entry.told = true
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
func (l *Ledger) placesOf(rule types.NamespacedName) []types.NamespacedName {
	var at []types.NamespacedName
	for _, index := range []places{l.owned, l.foreign, l.absent} {
		at = slices.AppendSeq(at, maps.Keys(index[rule]))
	}
	return at
}
