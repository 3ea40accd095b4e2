package destination

import (
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// entry is what a copyIndex knows of one place: the object that is there, and the copy that a rule wants there.
type entry struct {
	State
	// desired is the content that the rule desiredBy wants here; empty if no rule wants a copy.
	desired   string
	desiredBy types.NamespacedName
	// fields is what our field manager owned after our last write.
	fields Fields
	// reported reports whether the rule has been told that this object is a foreign one.
	reported bool
	// inProgress reports whether a write or a deletion by desiredBy is under way. Events enqueue desiredBy no more until it ends.
	inProgress bool
	// written reports whether the copy was here once with the desired content, so that another write of it is a repair.
	written bool
}

// intern makes the content and the owner of the copy share their memory with those that are wanted, if they are equal.
func (e *entry) intern() {
	if e.Content == e.desired {
		e.Content = e.desired
	}
	if e.Owner == e.desiredBy {
		e.Owner = e.desiredBy
	}
}

// inSync reports whether the object is the copy that is wanted, with every field that we applied unless it only has to exist.
func (e *entry) inSync() bool {
	if !e.Exists() || e.Terminating || e.Owner != e.desiredBy {
		return false
	}
	if isAnyContent(e.desired) {
		return e.isKept(e.desired)
	}
	return isContent(e.Content, e.desired) && e.Fields == e.fields && !(e.HidesSource && strings.HasPrefix(e.desired, exactContent))
}

// setDesired notes the content that the rule wants. The entry stays written only if the same rule wanted the same content before.
func (e *entry) setDesired(content string, rule types.NamespacedName) {
	e.written = e.alreadyWritten(content, rule)
	e.desired, e.desiredBy = content, rule
}

// alreadyWritten reports whether the rule has already written this content here and still wants it, so that another write is a repair.
func (e *entry) alreadyWritten(content string, rule types.NamespacedName) bool {
	return e.written && e.desired == content && e.desiredBy == rule
}

// drifted reports whether somebody else has changed or deleted what the rule has written. A copy that has another owner now
// has not drifted, nor has one that is still being deleted.
func (e *entry) drifted() bool {
	return e.desired != "" && e.written && !e.inSync() && !e.Terminating && (!e.Exists() || e.Owner == e.desiredBy)
}

// abort ends a request of the rule. If the copy is not the rule's, the rule is no longer enqueued for what happens here.
func (e *entry) abort(rule types.NamespacedName) {
	if e.desiredBy != rule {
		return
	}
	e.inProgress = false
	if e.Owner != rule {
		e.desired = ""
	}
}
