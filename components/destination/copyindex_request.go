package destination

import (
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/watch"
)

// setDesired notes the content that the rule wants at a place, and reports whether the copy is in sync and its repairs do not back
// off. The sets are those of the fields that the rule is known to own of its copies; they count until the rule has written the copy
// itself in this process, with that content and not with any. A place where the rule has no copy is left as it is.
func (x *copyIndex) setDesired(at, rule types.NamespacedName, content string, known ...Fields) (inSync bool) {
	entry, found := x.entries[at]
	if !found || entry.Owner != rule {
		return false
	}
	if entry.desiredBy != rule || entry.fields == 0 || isAnyContent(entry.desired) {
		entry.fields = FieldSets(known).expected(entry.Fields)
	}
	if isAnyContent(content) && !isAnyContent(entry.desired) { // whatever was repaired may be changed now
		x.repairs.forget(at)
	}
	entry.setDesired(content, rule)
	entry.inProgress = false // of a deletion in an earlier reconcile
	entry.intern()
	inSync = (entry.fields != 0 || isAnyContent(content)) && entry.inSync()
	entry.written = entry.written || inSync
	_, backingOff := x.repairs.backingOff(at)
	return inSync && !backingOff
}

// beginWrite begins a write by the rule, and returns the State to write on. That State exists only if the copy is the rule's own
// and is not being deleted. A place with another rule's copy is left as it is.
func (x *copyIndex) beginWrite(at, rule types.NamespacedName, content string) (known State) {
	x.update(at, func(e *entry) {
		if e.Exists() && e.Owner != rule {
			return
		}
		e.setDesired(content, rule)
		e.inProgress = true
		if !e.Terminating {
			known = e.State
		}
	})
	return known
}

// endWrite ends a write that succeeded. It returns the rules to enqueue:
//   - the rule itself if somebody has changed the copy since.
//     Example: our answer has resourceVersion 10; an event with resourceVersion 12 and without one of our fields came before it.
//   - the rule that wanted the copy which was here before.
//     Example: rule a has a copy here; somebody deletes it; rule b creates its own; b's answer comes before the event of the deletion,
//     which is older than the answer and will be ignored.
func (x *copyIndex) endWrite(at, rule types.NamespacedName, content string, state State) (enqueue []types.NamespacedName) {
	x.update(at, func(e *entry) {
		if watch.IsNewer(state.ResourceVersion, e.ResourceVersion) && !x.isGone(e, state) {
			e.State = state
		}
		if e.desiredBy != rule && e.Owner == rule && e.desired != "" {
			enqueue = append(enqueue, e.desiredBy)
		}
		if e.desiredBy == rule || e.Owner == rule {
			e.desired, e.desiredBy, e.fields, e.inProgress, e.written = content, rule, state.Fields, false, true
		}
		if e.ResourceVersion != state.ResourceVersion && (e.desiredBy != rule || !e.inSync()) {
			enqueue = append(enqueue, rule)
		}
	})
	return enqueue
}

// isGone reports whether the watch, which has everything in order, knows more than that the object of the answer was there. It knows
// nothing of an object without our label.
// Example: the API server creates a copy; somebody deletes it; the watch starts over and lists no copy; the answer to the creation
// comes.
func (x *copyIndex) isGone(e *entry, answer State) bool {
	return answer.Labelled && !e.Exists() && !watch.IsNewer(answer.ResourceVersion, x.lastVersion)
}

// beginDelete begins a deletion by the rule: its copy is no longer wanted, and no event of its end enqueues the rule. A place with
// another rule's copy is left as it is.
func (x *copyIndex) beginDelete(at, rule types.NamespacedName) {
	x.update(at, func(e *entry) {
		if e.Owner == rule || e.desiredBy == rule && !e.Exists() {
			e.desired, e.desiredBy, e.inProgress = "", rule, true
		}
	})
}

// unwanted is the content that is noted of a copy which the rule does not want. No copy bears it.
const unwanted = "-"

// remember notes that the rule has a copy here, which the watch may not show. The rule is enqueued when the copy changes. A place with another
// object, or where a rule wants a copy, is left as it is.
func (x *copyIndex) remember(at, rule types.NamespacedName) {
	x.update(at, func(e *entry) {
		if e.desired == "" && (e.Owner == rule || !e.Exists()) {
			e.desired, e.desiredBy, e.fields, e.inProgress, e.written = unwanted, rule, 0, false, false
		}
	})
}

// deleted notes that the API server has accepted the deletion of that object. A rule that wants a copy here before the watch tells
// of its end writes a new one.
func (x *copyIndex) deleted(at types.NamespacedName, object types.UID) {
	x.update(at, func(e *entry) { e.Terminating = e.Terminating || e.Exists() && e.UID == object })
}

// retained notes that the API server has made the object an ordinary one, which the rule does not want. The watch reports its end, and events
// before that are older than the object that was retained.
func (x *copyIndex) retained(at types.NamespacedName, object State) {
	x.update(at, func(e *entry) {
		if !e.Exists() || e.UID != object.UID {
			return
		}
		if watch.IsNewer(object.ResourceVersion, e.ResourceVersion) {
			e.State = object
		}
		e.Terminating = true
	})
}

// notFound ends a deletion by the rule of an object that the API server does not have.
func (x *copyIndex) notFound(at, rule types.NamespacedName, object types.UID) {
	x.update(at, func(e *entry) {
		e.abort(rule)
		if e.Owner == rule && e.UID == object {
			*e = entry{}
		}
	})
}

// abort ends a write or a deletion by the rule that failed. If the copy is not the rule's, the rule is no longer enqueued for what
// happens here.
func (x *copyIndex) abort(at, rule types.NamespacedName) {
	x.update(at, func(e *entry) { e.abort(rule) })
}
