package v1alpha1

import (
	"time"

	v1 "projection.sh/operator/api/v1"
)

// RelatedResource is an object that belongs to each published object.
//
// +kubebuilder:validation:XValidation:rule="!has(self.required) || !self.required || self.origin == 'Consumer'",reason=FieldValueForbidden,fieldPath=.required,message="the service cannot be waited for before it has the copy: remove required, or set origin to Consumer"
type RelatedResource struct {
	// name by which mutation.toService.references refer to it.
	// +required
	Name RelatedName `json:"name"`

	// origin is the side that has the object and decides what is in it. The other side has a copy.
	// +required
	Origin RelatedOrigin `json:"origin"`

	// resource is its kind, which is namespaced and the same on both sides. Kinds of rbac.authorization.k8s.io and ServiceAccount are refused, whose
	// names mean other subjects in another cluster.
	// +required
	Resource RelatedKind `json:"resource"`

	// path is the path of the field with its name, such as spec.secretName. It is looked up on each side in the published object as it is there; so the
	// name can be another one on each side. It may lead to several names, by [*]. The object is in the namespace of the published object.
	// +required
	Path v1.ContentPath `json:"path"`

	// required has the published object wait for this one: as long as it does not exist, the copy is not created.
	// +optional
	Required bool `json:"required,omitempty"`

	// whenOriginGone defines what happens to the copy when the object is deleted, or not named any more. Delete, the default. Keep: it stays, without
	// what marks it as a copy.
	// +optional
	WhenOriginGone OriginGone `json:"whenOriginGone,omitempty"`
}

// RelatedName is the name of an entry of spec.related.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",reason=FieldValueInvalid,message="write lower case letters, digits and \"-\", with a letter or digit at both ends, like \"tls\""
type RelatedName = string

// RelatedOrigin is the side of a related object.
//
// +kubebuilder:validation:Enum=Service;Consumer
type RelatedOrigin string

// The sides.
const (
	// OriginService is the cluster of the service.
	OriginService RelatedOrigin = "Service"
	// OriginConsumer is the cluster of the consumer.
	OriginConsumer RelatedOrigin = "Consumer"
)

// RelatedKind is the kind of a related object.
//
// +kubebuilder:validation:XValidation:rule="has(self.group) && size(self.group) > 0 ? self.group != 'rbac.authorization.k8s.io' : self.kind != 'ServiceAccount'",reason=FieldValueForbidden,message="its names mean other subjects in another cluster: let each cluster have its own"
type RelatedKind struct {
	// group is the API group of the kind. Leave it out for the core group of ConfigMap and Secret.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == '' || !format.dns1123Subdomain().validate(self).hasValue()",reason=FieldValueInvalid,message="group is an API group without its version: write \"cert-manager.io\", or leave it out for the core group of ConfigMap and Secret"
	Group string `json:"group,omitempty"`

	// kind is the kind in PascalCase, such as "Secret".
	// +required
	Kind KindName `json:"kind"`
}

// OriginGone defines what happens to a copy whose origin is gone.
//
// +kubebuilder:validation:Enum=Delete;Keep
type OriginGone string

// What happens to it.
const (
	// OriginGoneDelete deletes it.
	OriginGoneDelete OriginGone = "Delete"
	// OriginGoneKeep makes it an ordinary object.
	OriginGoneKeep OriginGone = "Keep"
)

// StatusSync says how the status of copies comes back.
type StatusSync struct {
	// sync defines whether it does. Auto, the default: if the kind has the subresource status, and the condition Synced says if not. Never: it does not.
	// +optional
	Sync StatusSyncPolicy `json:"sync,omitempty"`

	// conflict defines what happens to a field of the status that another client in the cluster of the consumer sets. Report, the default: it is left
	// to that client, and reported. Overwrite: it is taken over.
	// +optional
	Conflict StatusConflictPolicy `json:"conflict,omitempty"`

	// minIntervalSeconds is the time between two writes of the status of one object. The last status always arrives. Defaults to 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	MinIntervalSeconds int32 `json:"minIntervalSeconds,omitempty"`
}

// MinInterval returns the time between two writes of the status of one object.
func (s StatusSync) MinInterval() time.Duration { return secondsOr(s.MinIntervalSeconds, time.Second) }

// StatusSyncPolicy defines whether status comes back.
//
// +kubebuilder:validation:Enum=Auto;Never
type StatusSyncPolicy string

// Whether status comes back.
const (
	// StatusSyncAuto has it come back where the kind has the subresource.
	StatusSyncAuto StatusSyncPolicy = "Auto"
	// StatusSyncNever does not.
	StatusSyncNever StatusSyncPolicy = "Never"
)

// StatusConflictPolicy defines what happens to fields of a status that others set.
//
// +kubebuilder:validation:Enum=Report;Overwrite
type StatusConflictPolicy string

// What happens to them.
const (
	// StatusConflictReport leaves them.
	StatusConflictReport StatusConflictPolicy = "Report"
	// StatusConflictOverwrite takes them over.
	StatusConflictOverwrite StatusConflictPolicy = "Overwrite"
)

// Adoption says what happens if something else is in the place of a copy.
type Adoption struct {
	// policy defines that. Never, the default: it is left alone, and the consumer gets the event NameConflict. IfIdentical: it becomes the copy if it
	// has all fields that the copy would have, with the same values. IfAllowed: it becomes the copy if it has the annotation projection.sh/adoptable-by
	// with the name of this PublishedResource. An object that is the copy of something else, or is being deleted, never does.
	// +optional
	Policy AdoptionPolicy `json:"policy,omitempty"`
}

// AdoptionPolicy defines which objects become copies.
//
// +kubebuilder:validation:Enum=Never;IfIdentical;IfAllowed
type AdoptionPolicy string

// Which objects become copies.
const (
	// AdoptNever adopts none.
	AdoptNever AdoptionPolicy = "Never"
	// AdoptIfIdentical adopts those in which nothing would change.
	AdoptIfIdentical AdoptionPolicy = "IfIdentical"
	// AdoptIfAllowed adopts those that say so.
	AdoptIfAllowed AdoptionPolicy = "IfAllowed"
)

// DeletionBehavior says what the deletion of an object of a consumer means.
type DeletionBehavior struct {
	// policy defines what happens to the copy. Delete, the default, deletes it. Orphan leaves it, without what marks it as a copy.
	// +optional
	// +kubebuilder:validation:Enum=Delete;Orphan
	Policy DeletionPolicy `json:"policy,omitempty"`

	// wait has the object of the consumer exist until its copy was deleted, by the finalizer projection.sh/published. Without it, objects of consumers have
	// no finalizer, and the copy is deleted after the object.
	// +optional
	Wait bool `json:"wait,omitempty"`

	// releaseAfterSeconds is how long an object that is being deleted waits if the cluster of the service cannot be reached. Its copy is deleted when
	// that is back. Left out: it waits until then.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=31536000
	ReleaseAfterSeconds int32 `json:"releaseAfterSeconds,omitempty"`
}

// ReleaseAfter returns how long an object that is being deleted waits for the service; 0: until that is back.
func (d DeletionBehavior) ReleaseAfter() time.Duration { return secondsOr(d.ReleaseAfterSeconds, 0) }
