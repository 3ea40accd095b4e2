package destination

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

func (x *copyIndex) setSuspended(rule types.NamespacedName, suspended bool) {
	if suspended {
		x.suspended[rule] = struct{}{}
	} else {
		delete(x.suspended, rule)
	}
}

// withSuspended adds to the rules to enqueue those that are suspended and would do something else since the entry had the State before.
// Nothing is repaired for such a rule, so it is not only drift that matters to it.
//
// Example: a rule is suspended, its source is changed, and its status says that 3 copies would be updated. Somebody deletes one of them: one
// would be created, and 2 updated.
func (x *copyIndex) withSuspended(enqueue []types.NamespacedName, e *entry, before State) []types.NamespacedName {
	if len(x.suspended) == 0 || e.inProgress { // the end of a request enqueues the rule
		return enqueue
	}
	was := entry{State: before, desired: e.desired, desiredBy: e.desiredBy, fields: e.fields}
	same := was.Owner == e.Owner && was.Exists() == e.Exists() && was.Terminating == e.Terminating && was.Proven == e.Proven && was.inSync() == e.inSync()
	if same {
		return enqueue
	}
	for _, rule := range []types.NamespacedName{e.desiredBy, before.Owner, e.Owner} {
		if _, suspended := x.suspended[rule]; suspended && !slices.Contains(enqueue, rule) {
			enqueue = append(enqueue, rule)
		}
	}
	return enqueue
}

func (x *copyIndex) isInSync(at, rule types.NamespacedName, content string) bool {
	e, known := x.entries[at]
	return known && e.desired == content && e.desiredBy == rule && (e.fields != 0 || isAnyContent(content)) && e.inSync()
}
