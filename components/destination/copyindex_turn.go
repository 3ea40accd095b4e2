package destination

import (
	"k8s.io/apimachinery/pkg/types"
)

// awaitTurn reports whether the copy has other content than that, and is as the rule has written it last. Such a copy may wait until it is
// changed. Until then it has to keep the content that it has: the rule is enqueued if somebody changes it. The sets are those of setDesired.
//
// Example: a user edits a source, and the copy in tenant-c waits for its turn. Somebody removes a key of that copy. It waits no more, since it
// would have wrong content meanwhile.
func (x *copyIndex) awaitTurn(at, rule types.NamespacedName, content string, known FieldSets) bool {
	e, found := x.entries[at]
	if !found || !e.Exists() || e.Owner != rule || e.Terminating || !e.Applied() || e.is(content) {
		return false
	}
	if e.desiredBy != rule || e.fields == 0 || isAnyContent(e.desired) {
		e.fields = known.expectedOfWaiting(e.Fields)
	}
	if e.Fields != e.fields {
		return false
	}
	e.setDesired(e.Content, rule)
	e.inProgress, e.written = false, true
	e.intern()
	return true
}

// is reports whether the copy has the content that is wanted, or only has to exist and does.
func (e *entry) is(wanted string) bool {
	if isAnyContent(wanted) {
		return e.isKept(wanted)
	}
	return isContent(e.Content, wanted)
}

// maxFieldSets is how many sets the status holds at most. If it holds as many, others may have been left out.
const maxFieldSets = 100

// expectedOfWaiting is expected for a copy with earlier content. If the sets do not tell whether somebody has changed it, nobody has.
func (s FieldSets) expectedOfWaiting(of Fields) Fields {
	if len(s) == 0 || len(s) >= maxFieldSets {
		return of
	}
	return s.expected(of)
}
