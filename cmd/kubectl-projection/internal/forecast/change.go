package forecast

import (
	"strings"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
)

// Action is what becomes of a copy.
type Action string

// Actions, in the order in which they are counted.
const (
	Create    Action = "create"    // there is no copy yet
	Update    Action = "update"    // the copy gets other content
	Adopt     Action = "adopt"     // an object that is no copy becomes one
	Delete    Action = "delete"    // the copy is not wanted any more
	Release   Action = "release"   // the copy is not wanted any more, and becomes an ordinary object
	Keep      Action = "keep"      // the copy is not wanted, and stays a copy
	Skip      Action = "skip"      // the object in the place of the copy is left alone
	Refuse    Action = "refuse"    // the rule wants the copy, and cannot have it
	Undecided Action = "unknown"   // the caller may not read what decides it
	Unchanged Action = "unchanged" // the copy stays as it is
)

// Actions has all actions.
var Actions = []Action{Create, Update, Adopt, Delete, Release, Keep, Skip, Refuse, Undecided, Unchanged}

// IsChange reports whether the action changes something, or may change it.
func (a Action) IsChange() bool {
	switch a {
	case Create, Update, Adopt, Delete, Release, Undecided:
		return true
	default:
		return false
	}
}

// IsWrite reports whether the action writes the copy that is wanted.
func (a Action) IsWrite() bool { return a == Create || a == Update || a == Adopt }

// Change is what becomes of one copy.
type Change struct {
	Action Action `json:"action"`
	// Namespace is that of the copy; empty: the change concerns all of them.
	Namespace string  `json:"namespace,omitempty"`
	Source    *Object `json:"source,omitempty"`
	Copy      *Object `json:"copy,omitempty"`
	Reason    string  `json:"reason,omitempty"`
	// Message is a sentence. It quotes no value of an object.
	Message string `json:"message,omitempty"`
	// Check is what the API server says of the write; nil: it was not asked.
	Check *Check `json:"check,omitempty"`
	// Diff is how the object changes, as diff -u prints it. Values of Secrets are masked.
	Diff string `json:"diff,omitempty"`

	wished *wish
}

// changeOf returns what becomes of a copy that is wanted.
func changeOf(wished *wish, verdict Verdict) Change {
	change := Change{
		Action: actionOf(wished, verdict), Namespace: verdict.Namespace, Source: &verdict.Source, Copy: verdict.Copy,
		Reason: verdict.Reason, Message: verdict.Message, wished: wished,
	}
	if change.Action == Create {
		change.Message = strings.TrimPrefix(strings.TrimPrefix(change.Message, nothingThere), "; ")
	}
	if change.Action == Adopt || change.Action == Skip || change.Action == Create && verdict.State == Foreign {
		change.Reason = ""
	}
	if change.Action == Adopt {
		change.Message += whetherAdopted(wished)
	}
	return change
}

// whetherAdopted says what of the content decides whether an object is adopted.
func whetherAdopted(wished *wish) (condition string) {
	if wished.spec.Policy.OnConflict == v1.ConflictAdoptIdentical {
		condition = ", if the object says what the rule wants"
	}
	if wished.isSecret() {
		condition += ", unless the object is a credential of its namespace"
	}
	return condition
}

func actionOf(wished *wish, verdict Verdict) Action {
	switch verdict.State {
	case Missing:
		return Create
	case InSync, Exists:
		return Unchanged
	case OutOfSync:
		if wished.found.state.Terminating {
			return Create
		}
		return Update
	case Foreign:
		return onForeign(*wished.spec, wished.found)
	case Unknown:
		return Undecided
	default:
		return Refuse
	}
}

// onForeign returns what becomes of an object that is in the place of a copy. The source itself is never adopted, nor a copy of another rule, nor an object
// that somebody else has a claim on.
func onForeign(spec owner.Spec, found place) Action {
	switch onConflict := spec.Policy.OnConflict; {
	case found.isSource:
		return Refuse
	case found.state.Terminating:
		return Create
	case onConflict == v1.ConflictSkip:
		return Skip
	case found.belongs != "" || found.isReleased || found.obstacle != (policy.Obstacle{}):
		return Refuse
	case onConflict.Adopts():
		return Adopt
	default:
		return Refuse
	}
}
