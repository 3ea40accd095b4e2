package destination

import (
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/watch"
)

// observation is what the API server says of a place in an event or a list.
type observation struct {
	at types.NamespacedName
	State
	// lastManager returns the field manager other than ours that set a field last; empty if there is none. It is nil where there is no
	// object, and called only for a copy that somebody has changed.
	lastManager func() string
}

// observe takes an event, and returns the rules to enqueue.
func (x *copyIndex) observe(event observation) []types.NamespacedName {
	if watch.IsNewer(event.ResourceVersion, x.lastVersion) {
		x.lastVersion = event.ResourceVersion
	}
	return x.note(event)
}

// replace takes a list of all copies, and returns the rules to enqueue. There are none for the first list: every rule is reconciled
// when the operator starts.
func (x *copyIndex) replace(list []observation, resourceVersion string) (enqueue []types.NamespacedName) {
	x.resetIfRestored(resourceVersion)
	listed := make(map[types.NamespacedName]struct{}, len(list))
	for _, found := range list {
		listed[found.at] = struct{}{}
		x.resetIfContradicted(found, resourceVersion)
		enqueue = append(enqueue, x.note(found)...)
	}
	for at, entry := range x.entries {
		if _, found := listed[at]; !found && entry.Exists() {
			enqueue = append(enqueue, x.note(observation{at: at, State: State{ResourceVersion: resourceVersion}})...)
		}
	}
	if !x.listed {
		enqueue = nil
	}
	x.listed = true
	return enqueue
}

// resetIfRestored makes everything older than the list, if the list is older than what the watch has told: the API server's storage
// was restored from a backup.
func (x *copyIndex) resetIfRestored(resourceVersion string) {
	if x.lastVersion != "" && watch.IsNewer(x.lastVersion, resourceVersion) {
		for _, entry := range x.entries {
			entry.ResourceVersion = ""
		}
	}
	x.lastVersion = resourceVersion
}

// resetIfContradicted makes what is known of a place older than the list, if both cannot be true: the list shows an older version, and is
// itself not older than the known one. The API server's storage was restored from a backup, and has overtaken the lost versions since.
//
// Example: we write a copy at version 1005; storage is restored to version 990, where the copy has version 980; others write 50 objects;
// the list has version 1040, and the copy in it version 980.
func (x *copyIndex) resetIfContradicted(found observation, listVersion string) {
	entry, known := x.entries[found.at]
	if known && entry.ResourceVersion != "" && watch.IsNewer(entry.ResourceVersion, found.ResourceVersion) &&
		!watch.IsNewer(entry.ResourceVersion, listVersion) {
		entry.ResourceVersion = ""
	}
}

// note takes what the API server says of a place if it is newer than what is known. It returns the rules to enqueue: the one whose
// copy is not in sync any more, and the one that the object has come to name as its owner. A copy that was not in sync before, and of which
// nothing but the version has changed, enqueues nothing: its rule has been told, and tries again after a backoff if it has failed.
//
// Example: a policy refuses the update of a copy, whose controller writes its status ten times a second.
func (x *copyIndex) note(seen observation) (enqueue []types.NamespacedName) {
	if _, known := x.entries[seen.at]; !known && !seen.namesOwner() {
		return nil
	}
	x.update(seen.at, func(e *entry) {
		if !watch.IsNewer(seen.ResourceVersion, e.ResourceVersion) {
			return
		}
		before := *e
		e.State = seen.State
		backingOff := x.noteDrift(seen.at, e, before, seen.lastManager)
		if !backingOff && !e.inProgress && e.desired != "" && !e.inSync() && !e.isSameButVersion(before.State) {
			enqueue = append(enqueue, e.desiredBy)
		}
		expected := e.desired != "" && e.Owner == e.desiredBy
		if e.namesOwner() && !e.namesSameOwner(before.State) && !expected {
			enqueue = append(enqueue, e.namedOwner())
		}
		enqueue = x.withSuspended(enqueue, e, before.State)
		enqueue = x.withFollower(enqueue, seen.at, e)
	})
	return enqueue
}
