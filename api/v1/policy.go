package v1

import "slices"

// Policy defines how copies begin, change and end.
type Policy struct {
	// onConflict defines what happens if there is an object in the place of a copy that is not a copy of this rule. Refuse, the default, leaves
	// it alone and reports DestinationConflict. Skip leaves it alone, and the rule is ready without that copy. AdoptIdentical makes it a copy
	// if it has all fields that the copy would have, with the same values; Adopt makes it a copy whatever its fields are. An adopted object is a
	// copy like any other: it is updated, repaired, and deleted with this rule. Copies of other rules, sources, and objects that belong
	// to a controller, to Helm or to a GitOps tool, are never adopted. A Projection adopts only in the name of a service account. Service accounts
	// need permission to delete what they adopt and, for AdoptIdentical and for Secrets, to get it.
	// +optional
	OnConflict ConflictPolicy `json:"onConflict,omitempty"`

	// updates defines what happens to a copy that exists. Follow, the default: it gets every change of the source, and changes by others are
	// undone. CreateOnly: it keeps its content; if it is deleted, it is created again with the content that the source has then.
	// +optional
	Updates UpdatePolicy `json:"updates,omitempty"`

	// onImmutable defines what happens to a copy that the API server does not allow to be changed in place, such as an immutable ConfigMap. Keep,
	// the default: it keeps its content, and the rule reports DestinationUpdateFailed. Recreate: if the API server would create the new copy, the
	// operator deletes the copy and creates it again, one after the other. Readers find none for a moment, and what belongs to the copy, such as
	// the Pods of a Deployment, is deleted with it. A Projection recreates only in the name of a service account, and nobody a
	// PersistentVolumeClaim.
	// +optional
	OnImmutable ImmutablePolicy `json:"onImmutable,omitempty"`

	// retain lists the causes for which copies are not deleted. RuleDeleted: this rule is deleted. TargetDropped: the namespace is not a
	// target any more. In both cases the operator removes its labels and annotations from the copy, which is an ordinary object then.
	// SourceGone: the source was deleted; the copies stay as they are until it is created again. A copy is retained only if the list has every
	// cause for which it is not wanted. Copies are deleted all the same if the owner of the source does not consent any more. TargetDropped
	// is refused in a Projection, whose target is always its own namespace.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	Retain []RetainCause `json:"retain,omitempty"`
}

// Retains reports whether copies are not deleted for the cause.
func (p Policy) Retains(cause RetainCause) bool { return slices.Contains(p.Retain, cause) }

// UpdatePolicy defines what happens to a copy that exists.
//
// +kubebuilder:validation:Enum=Follow;CreateOnly
type UpdatePolicy string

// What happens to copies that exist.
const (
	// UpdateFollow keeps copies in sync with the source. It is the default.
	UpdateFollow UpdatePolicy = "Follow"
	// UpdateCreateOnly leaves the content of copies as it is.
	UpdateCreateOnly UpdatePolicy = "CreateOnly"
)

// ImmutablePolicy defines what happens to a copy that cannot be changed in place.
//
// +kubebuilder:validation:Enum=Keep;Recreate
type ImmutablePolicy string

// What happens to copies that cannot be changed in place.
const (
	// ImmutableKeep leaves the copy as it is. It is the default.
	ImmutableKeep ImmutablePolicy = "Keep"
	// ImmutableRecreate deletes the copy and creates it again.
	ImmutableRecreate ImmutablePolicy = "Recreate"
)

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
