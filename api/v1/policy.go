package v1

import "slices"

// Policy defines what happens to copies that are not wanted any more.
type Policy struct {
	// retain lists the causes for which copies are not deleted. RuleDeleted: this rule is deleted. TargetDropped: the namespace is not a
	// target any more. In both cases the operator removes its labels and annotations from the copy, which is an ordinary object then.
	// SourceGone: the source was deleted; the copies stay as they are until it is created again. A copy is retained only if the list has every
	// cause for which it is not wanted. Copies are deleted all the same if the owner of the source does not consent any more. TargetDropped
	// has no effect in a Projection, whose target is always its own namespace.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	Retain []RetainCause `json:"retain,omitempty"`
}

// Retains reports whether copies are not deleted for the cause.
func (p Policy) Retains(cause RetainCause) bool { return slices.Contains(p.Retain, cause) }

// RetainCause is a reason for which a copy is not wanted any more.
//
// +kubebuilder:validation:Enum=RuleDeleted;SourceGone;TargetDropped
type RetainCause string

// Causes for which copies can be retained.
const (
	// RetainRuleDeleted retains the copies of a rule that is deleted.
	RetainRuleDeleted RetainCause = "RuleDeleted"
	// RetainSourceGone retains copies whose source does not exist any more.
	RetainSourceGone RetainCause = "SourceGone"
	// RetainTargetDropped retains copies in namespaces that are not targets any more.
	RetainTargetDropped RetainCause = "TargetDropped"
)
