package projector

import (
	"projection.sh/operator/components/destination"
)

// isSource reports whether the object is the rule's own source. A source is never deleted, whatever annotations it has.
//
// Example: a rule copies a/x to b/x. Then somebody edits the rule, and makes b/x its source. The rule has applied b/x, so b/x is
// a copy still.
func (m *memberScope[O]) isSource(set copySet, copied destination.Copy) bool {
	in := m.scope.sourceIn(set)
	isSource := m.scope.spec.Selects() && copied.Namespace == in.Namespace || !m.scope.spec.Selects() && m.scope.isAnySource(set, copied.NamespacedName)
	return isSource && !copied.Applied()
}
