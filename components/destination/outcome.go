package destination

import (
	"time"

	"projection.sh/operator/components/impersonate"
)

// Action is what was done to a copy.
type Action string

// Actions.
const (
	Unchanged Action = ""          // it was in sync, or nothing could be done
	Created   Action = "Created"   // it was not there
	Updated   Action = "Updated"   // its content was changed or repaired
	Adopted   Action = "Adopted"   // it was a foreign object, and was made a copy
	Recreated Action = "Recreated" // it could not be changed in place, and was deleted and created again
	Deleted   Action = "Deleted"   // it was no longer wanted
	Retained  Action = "Retained"  // it was no longer wanted, and was made an ordinary object
	LeftAlone Action = "LeftAlone" // it was no longer wanted, but was released
)

// Outcome is the result of a write or a deletion of one copy, or of the decision that none is needed.
type Outcome struct {
	// Place is the place of the copy.
	Place  Place
	Action Action
	// Reason is a condition reason of api/v1 if the copy is not as it should be; else empty.
	Reason string
	// Message says in one sentence what is wrong. It holds no value of the object.
	Message string
	// Pending reports whether a request for the copy is under way, or could not be made yet. If the outcome is a failure as
	// well, it is the failure of the request before.
	Pending bool
	// Waits reports whether the copy is pending until another copy of the rule is recreated.
	Waits bool
	// Held is what would be done to the copy if its rule were not suspended, or if it did not have to wait for its turn in a rollout; Unchanged:
	// nothing.
	Held Action
	// Skipped reports whether the rule does without the copy, since a foreign object is in its place.
	Skipped bool
	// Watched reports whether the failure is about an object at the place that could not be adopted, and that is watched: when it changes, the
	// copy is written again at once.
	Watched bool
	// Content is the content hash that was to be written; empty for a deletion.
	Content string
	// User is in whose name the request was made.
	User impersonate.User
	// Basis is a hash of what the result of the write may depend on besides the content: the rule, the namespace, and the object that
	// is known at the place.
	Basis uint64
	// Repeated reports whether the failure was found by an earlier reconcile, and nothing has happened at the place since.
	Repeated bool
	// Err asks for another try. A failure without an error needs no other try: something else has to change first,
	// and that enqueues the rule.
	Err error
	// RetryAfter is when to look at the copy again although no event enqueues the rule; zero: never. An outcome with an Err asks for
	// another try then, and otherwise as soon as the queue's backoff allows.
	RetryAfter time.Duration
	// Earlier reports whether the copy keeps content that was rendered earlier.
	Earlier bool
	// Corrected reports whether the write undid what somebody else had done to the copy.
	Corrected bool
	// ChangedBy is the field manager whose change was undone; empty if unknown.
	ChangedBy string
	// Fields is what our field manager owns of the copy; unknown if it is not in sync.
	Fields Fields
}

// Failed reports whether the copy is not as it should be.
func (o Outcome) Failed() bool { return o.Reason != "" }

// IsInSync reports whether the copy is as it should be, and nothing is under way or held back for it.
func (o Outcome) IsInSync() bool {
	return !o.Failed() && !o.Pending && !o.Skipped && o.Held == Unchanged
}
