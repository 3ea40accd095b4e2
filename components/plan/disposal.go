package plan

import v1 "projection.sh/operator/api/v1"

// Disposal is what becomes of a copy that is not planned.
type Disposal int

// Disposals.
const (
	DeleteIt Disposal = iota // the operator deletes it
	RetainIt                 // the operator makes it an ordinary object, if the owner of the source consents
	KeepIt                   // it stays a copy, since the rule retains it while the source does not exist
	LeaveIt                  // its namespace is a target again, and the next reconcile plans it
	OrphanIt                 // the operator makes it an ordinary object, since its cluster leaves; nobody is asked
)

// Causes are why a copy is not wanted; none if another copy replaces it.
type Causes struct{ RuleDeleted, TargetDropped, SourceGone bool }

// Unwanted is what is known of a copy that is not planned.
type Unwanted struct {
	Causes
	// IsOfRule reports whether the copy names the source of the rule, and no object that the rule does not copy: of others it is not known whether their
	// owners consent.
	//
	// Example: a rule copies a/x. A tenant edits it to name a/nothing, which does not exist. Then the owner of a/x opts out.
	IsOfRule func() bool
	// Consents reports whether the owners of what is in the copy consent, as far as is known.
	Consents func() bool
	// HidesLayers reports whether somebody else than the rule says which layers are in the copy, so that it may have any.
	HidesLayers bool
}

// Disposal returns what becomes of the copy under the policy of its rule. A copy that another one replaces is deleted, and so is one without consent. The
// rule retains a copy if it lists every cause for which the copy is not wanted.
func (u Unwanted) Disposal(policy v1.Policy) Disposal {
	isOrdinary := u.RuleDeleted || u.TargetDropped
	switch {
	case u.Causes == (Causes{}), !u.areListed(policy), !u.IsOfRule(), !u.Consents():
		return DeleteIt
	case isOrdinary && u.HidesLayers:
		return DeleteIt
	case isOrdinary:
		return RetainIt
	default:
		return KeepIt
	}
}

// areListed reports whether the rule retains copies for each of the causes.
func (c Causes) areListed(policy v1.Policy) bool {
	return (!c.RuleDeleted || policy.Retains(v1.RetainRuleDeleted)) &&
		(!c.TargetDropped || policy.Retains(v1.RetainTargetDropped)) &&
		(!c.SourceGone || policy.Retains(v1.RetainSourceGone))
}
