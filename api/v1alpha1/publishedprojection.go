package v1alpha1

import (
	v1 "projection.sh/operator/api/v1"
)

// APIProjection says how a kind looks to consumers.
type APIProjection struct {
	// group is the API group in the clusters of consumers. Defaults to that of the service. API servers accept no group of the Kubernetes project,
	// such as one that ends in k8s.io.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the group of a CustomResourceDefinition: write it without a version, like \"certificates.example.com\""
	Group string `json:"group,omitempty"`

	// kind is the kind in the clusters of consumers. Defaults to that of the service.
	// +optional
	Kind KindName `json:"kind,omitempty"`

	// plural is the plural name in lower case, as in kubectl get. Defaults to the plural of kind if kind is renamed, and else to that of the service.
	// +optional
	Plural ResourceName `json:"plural,omitempty"`

	// singular is the singular name in lower case. Defaults to kind in lower case if kind is renamed, and else to that of the service.
	// +optional
	Singular ResourceName `json:"singular,omitempty"`

	// shortNames are short names for kubectl. Left out: those of the service. []: none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	ShortNames *[]ResourceName `json:"shortNames,omitempty"`

	// categories are groups of kinds for kubectl, such as all. Left out: those of the service. []: none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Categories *[]ResourceName `json:"categories,omitempty"`

	// versions are the names of versions that consumers see, by those of the service. Versions that are not listed keep their names.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^v[0-9]([-a-z0-9]*[a-z0-9])?$'))",reason=FieldValueInvalid,message="versions of the service are written without their group, like \"v1: v1beta1\""
	Versions map[string]VersionName `json:"versions,omitempty"`

	// schema narrows what consumers see.
	// +optional
	Schema SchemaProjection `json:"schema,omitzero"`
}

// ResourceName is a name of a kind in lower case.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="!format.dns1035Label().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be a name of a resource: write lower case letters, digits and \"-\", with a letter at its beginning, like \"certificates\""
type ResourceName = string

// SchemaProjection narrows what consumers see.
type SchemaProjection struct {
	// hide lists paths of fields that consumers neither see nor set, such as spec.issuerRef or spec.rules[*].secretName. mutation.toService can set
	// them.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Hide []HiddenPath `json:"hide,omitempty"`
}

// HiddenPath is the path of a field of a schema.
//
// +kubebuilder:validation:MaxLength=512
// +kubebuilder:validation:XValidation:rule="self.matches(r'^[A-Za-z_$][-A-Za-z0-9_$]*(\\.[A-Za-z_$][-A-Za-z0-9_$]*|\\[\"[^\"\\\\]+\"\\]|\\[\\*\\])*$')",reason=FieldValueInvalid,message="this cannot be the path of a field of a schema: write names with dots, [\"...\"] for a name with other characters, and [*] for all elements of a list, like spec.rules[*].secretName"
// +kubebuilder:validation:XValidation:rule="!self.matches('^(apiVersion|kind|metadata)($|[.\\\\[])')",reason=FieldValueForbidden,message="apiVersion, kind and metadata cannot be hidden: every object has them"
type HiddenPath = string

// DefinitionPolicy says who installs the CustomResourceDefinition of consumers.
type DefinitionPolicy struct {
	// install defines who installs it. IfMissing, the default: the operator does, and keeps its own up to date. Never: the operator only looks whether
	// the kind is served, however that came about.
	// +optional
	Install DefinitionInstall `json:"install,omitempty"`

	// upgrade defines which changes of it the operator makes. Safe, the default: those that hurt no object that may exist, such as new optional fields
	// and wider limits; it reports others. All: every change. Never: none.
	// +optional
	Upgrade DefinitionUpgrade `json:"upgrade,omitempty"`

	// removal defines what happens to it when this PublishedResource is deleted, or the cluster is no longer a consumer. Keep, the default: it stays.
	// DeleteWhenEmpty: the operator deletes it, if no object of the kind exists there at that time.
	// +optional
	Removal DefinitionRemoval `json:"removal,omitempty"`
}

// DefinitionInstall defines who installs definitions.
//
// +kubebuilder:validation:Enum=IfMissing;Never
type DefinitionInstall string

// Who installs definitions.
const (
	// InstallIfMissing has the operator install them.
	InstallIfMissing DefinitionInstall = "IfMissing"
	// InstallNever leaves that to others.
	InstallNever DefinitionInstall = "Never"
)

// DefinitionUpgrade defines which changes of definitions are made.
//
// +kubebuilder:validation:Enum=Safe;All;Never
type DefinitionUpgrade string

// Which changes are made.
const (
	// UpgradeSafe makes changes that hurt no object.
	UpgradeSafe DefinitionUpgrade = "Safe"
	// UpgradeAll makes all changes.
	UpgradeAll DefinitionUpgrade = "All"
	// UpgradeNever makes none.
	UpgradeNever DefinitionUpgrade = "Never"
)

// DefinitionRemoval defines what happens to definitions that are not needed any more.
//
// +kubebuilder:validation:Enum=Keep;DeleteWhenEmpty
type DefinitionRemoval string

// What happens to them.
const (
	// RemovalKeep leaves them.
	RemovalKeep DefinitionRemoval = "Keep"
	// RemovalDeleteWhenEmpty deletes those without objects.
	RemovalDeleteWhenEmpty DefinitionRemoval = "DeleteWhenEmpty"
)

// ObjectNaming says where copies are.
type ObjectNaming struct {
	// namespace is a CEL expression for the namespace of copies. Defaults to one for each cluster of consumers, whose name begins with "consumer-". It
	// knows the variables object and cluster, as filter.expression does, and the function hash(text), which gives 12 hexadecimal digits.
	// +optional
	Namespace Expression `json:"namespace,omitempty"`

	// name is a CEL expression for the names of copies, such as "object.metadata.name + '-' + hash(object.metadata.namespace)". Defaults to the name of
	// the object with a hash of where it is, so that no two objects share a copy.
	// +optional
	Name Expression `json:"name,omitempty"`

	// createNamespaces defines whether a namespace that a copy needs is created. IfMissing, the default: the operator creates it. Never: the copy waits
	// for it.
	// +optional
	CreateNamespaces NamespaceCreation `json:"createNamespaces,omitempty"`

	// removeNamespaces defines whether a namespace that the operator created for copies is deleted. Never, the default: it stays. WhenEmpty: it is deleted
	// when no copy is in it any more, nor any other object but those that Kubernetes puts into each namespace.
	// +optional
	RemoveNamespaces NamespaceRemoval `json:"removeNamespaces,omitempty"`
}

// NamespaceCreation defines whether namespaces are created.
//
// +kubebuilder:validation:Enum=IfMissing;Never
type NamespaceCreation string

// Whether namespaces are created.
const (
	// CreateIfMissing creates them.
	CreateIfMissing NamespaceCreation = "IfMissing"
	// CreateNever does not.
	CreateNever NamespaceCreation = "Never"
)

// NamespaceRemoval defines whether namespaces are deleted.
//
// +kubebuilder:validation:Enum=Never;WhenEmpty
type NamespaceRemoval string

// Whether namespaces are deleted.
const (
	// RemoveNever leaves them.
	RemoveNever NamespaceRemoval = "Never"
	// RemoveWhenEmpty deletes those in which nothing is left.
	RemoveWhenEmpty NamespaceRemoval = "WhenEmpty"
)

// ObjectMutation edits objects on their way to the service, and their status on its way back.
type ObjectMutation struct {
	// toService edits copies of the objects of consumers.
	// +optional
	ToService ServiceMutation `json:"toService,omitzero"`

	// toConsumer edits the status that consumers see.
	// +optional
	ToConsumer StatusMutation `json:"toConsumer,omitzero"`
}

// ServiceMutation edits copies of the objects of consumers: exclude first, then fields, then references.
type ServiceMutation struct {
	// exclude lists paths of fields that are not copied. In the copies, they belong to the service.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Exclude []v1.ContentPath `json:"exclude,omitempty"`

	// fields are set in the copies to the values of CEL expressions.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=32
	Fields []ServiceField `json:"fields,omitempty"`

	// references lists paths of fields with the name of a related object, which become its name in the cluster of the service.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=16
	References []Reference `json:"references,omitempty"`
}

// ServiceField is a field of copies and the expression for its value.
type ServiceField struct {
	// path is the path of the field, as in overlay.fields of a Projection.
	// +required
	Path v1.OverlayPath `json:"path"`

	// expression is a CEL expression for the value, such as "'corp-ca'" or "cluster.labels['region']". It knows the variables object and cluster, as
	// filter.expression does. If it results in optional.none(), the field stays as the consumer has it.
	// +required
	Expression Expression `json:"expression"`
}

// Reference is a field with the name of a related object.
type Reference struct {
	// path is the path of the field, such as spec.secretName.
	// +required
	Path v1.ContentPath `json:"path"`

	// related is the name of an entry of spec.related.
	// +required
	Related RelatedName `json:"related"`
}

// StatusMutation edits the status that consumers see: exclude first, then fields.
type StatusMutation struct {
	// exclude lists paths of fields that do not come back, such as status.failedIssuanceAttempts.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Exclude []StatusPath `json:"exclude,omitempty"`

	// fields are set in the status of the objects of consumers to the values of CEL expressions.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=32
	Fields []StatusField `json:"fields,omitempty"`
}

// StatusField is a field of the status of the objects of consumers and the expression for its value.
type StatusField struct {
	// path is the path of the field, such as status.endpoint.
	// +required
	Path StatusPath `json:"path"`

	// expression is a CEL expression for the value. It knows two variables: object, the copy in the cluster of the service, and cluster, as
	// filter.expression does. If it results in optional.none(), the field stays as the service has it.
	// +required
	Expression Expression `json:"expression"`
}

// StatusPath is the path of a field of a status.
//
// +kubebuilder:validation:MaxLength=512
// +kubebuilder:validation:XValidation:rule="self.matches(r'^status(\\.[A-Za-z_$][-A-Za-z0-9_$]*|\\[\"[^\"\\\\]+\"\\]|\\[\\*\\]|\\[[A-Za-z][A-Za-z0-9]*=[^],=\"\\[]+(,[A-Za-z][A-Za-z0-9]*=[^],=\"\\[]+)*\\])+$')",reason=FieldValueInvalid,message="this cannot be the path of a field of a status: begin with status, and write names with dots, [\"...\"] for a name with other characters, [*] for all elements of a list, and [type=Ready] for the elements with this value, like status.endpoint"
type StatusPath = string
