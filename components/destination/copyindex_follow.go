package destination

import (
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/watch"
)

// follow has the rule enqueued once, when one of these copies is changed next, by whomever: they are in sync, and the rule waits for what
// their status says. The copies are given with the resourceVersion that the rule has seen. It reports whether one has changed already. No
// copies end that.
func (x *copyIndex) follow(rule types.NamespacedName, copies map[types.NamespacedName]string) (changed bool) {
	delete(x.followed, rule)
	for at, seen := range copies {
		if x.isNewer(at, seen) {
			return true
		}
	}
	if len(copies) > 0 {
		x.followed[rule] = copies
	}
	return false
}

// isNewer reports whether a newer version of the object at the place is known.
func (x *copyIndex) isNewer(at types.NamespacedName, seen string) bool {
	entry, found := x.entries[at]
	return found && watch.IsNewer(entry.ResourceVersion, seen)
}

// withFollower adds the rule that follows the copy at the place, if the copy has changed since the rule has seen it.
func (x *copyIndex) withFollower(enqueue []types.NamespacedName, at types.NamespacedName, e *entry) []types.NamespacedName {
	seen, found := x.followed[e.Owner][at]
	if !found || !watch.IsNewer(e.ResourceVersion, seen) {
		return enqueue
	}
	delete(x.followed, e.Owner)
	return append(enqueue, e.Owner)
}
