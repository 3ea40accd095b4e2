package destination

import "k8s.io/apimachinery/pkg/types"

// noteDrift notes whether the copy has drifted since the entry before; lastManager returns the other field manager that set a field last.
// It reports whether the copy has drifted and its repairs back off already, so that the rule need not be enqueued. An event of a copy that had
// drifted before, and of which no other field manager has set a field since, says nothing of who did that.
//
// Example: an autoscaler undoes our write before its answer comes; then the controller of the Deployment writes the status.
func (x *copyIndex) noteDrift(at types.NamespacedName, e *entry, before entry, lastManager func() string) (backingOff bool) {
	if !e.drifted() {
		return false
	}
	cause := drift{deleted: !e.Exists()}
	if e.Others != before.Others && lastManager != nil {
		cause.changedBy = lastManager()
	}
	if !before.drifted() || cause != (drift{}) {
		x.repairs.drifted(at, cause)
	}
	if _, backingOff = x.repairs.backingOff(at); backingOff {
		x.repairs.delay(at)
	}
	return backingOff
}

// heldRepair returns the backoff of the copy, and reports whether nothing is to be written for now: the rule wants content that it
// has written already, and somebody keeps undoing that. New content is never held.
func (x *copyIndex) heldRepair(at, rule types.NamespacedName, content string) (backoff, bool) {
	e, known := x.entries[at]
	if !known || !e.alreadyWritten(content, rule) || !e.drifted() && !e.inSync() {
		return backoff{}, false
	}
	if e.drifted() && x.repairs.pause(at) > 0 {
		x.repairs.delay(at)
	}
	return x.backingOff(at)
}

// backingOff returns the backoff of the copy, and reports whether its repairs back off.
func (x *copyIndex) backingOff(at types.NamespacedName) (backoff, bool) {
	e, known := x.entries[at]
	if !known {
		return backoff{}, false
	}
	cause, found := x.repairs.backingOff(at)
	if !found {
		return backoff{}, false
	}
	held := backoff{drift: cause, pause: x.repairs.pause(at)}
	if e.inSync() && !isAnyContent(e.desired) { // else they may be what others have made of them
		held.fields = e.fields
	}
	return held, true
}

// repaired counts a write of that content if it was a repair, and returns what the repair has undone. It is called before
// endWrite.
func (x *copyIndex) repaired(at, rule types.NamespacedName, content string) (undone drift, isRepair bool) {
	if e, known := x.entries[at]; !known || !e.alreadyWritten(content, rule) {
		return drift{}, false
	}
	return x.repairs.repaired(at), true
}

// overtaken counts as a repair a write of that content that failed with a conflict in each of its tries. So does every
// further write of that content.
func (x *copyIndex) overtaken(at, rule types.NamespacedName, content string) {
	if e, known := x.entries[at]; known && e.desired == content && e.desiredBy == rule {
		e.written = true
		x.repairs.repaired(at)
	}
}
