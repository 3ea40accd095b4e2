package v1

import "k8s.io/apimachinery/pkg/runtime/schema"

// MaxSources is how many objects one rule copies that selects them.
const MaxSources = 500

// SourceRef names the object to copy, or selects several. They have to be namespaced.
//
// +kubebuilder:validation:XValidation:rule="has(self.name) || has(self.selector)",reason=FieldValueRequired,fieldPath=.name,message="name the source, or select several by their labels in selector"
// +kubebuilder:validation:XValidation:rule="!(has(self.name) && has(self.selector))",reason=FieldValueForbidden,fieldPath=.selector,message="name and selector are mutually exclusive: keep the name of one source, or the selector of several, and remove the other"
type SourceRef struct {
	// cluster is the name of the RemoteCluster in which the source is. The owner of the source has to consent there by the annotation
	// projection.sh/exportable, besides projection.sh/projectable. Leave it out for a source in this cluster. This field is alpha: it needs an operator
	// that runs with --remote-clusters.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the name of a RemoteCluster: write lower case letters, digits and \"-\", with a letter or digit at both ends, like \"eu-1\", or leave cluster out for a source in this cluster"
	Cluster string `json:"cluster,omitempty"`

	// group is the API group of the source, such as "apps". Leave it out for the core group of ConfigMap, Secret and Service.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == '' || !format.dns1123Subdomain().validate(self).hasValue()",reason=FieldValueInvalid,message="group is an API group without its version: write \"apps\" or \"cert-manager.io\", or leave it out for the core group"
	// +kubebuilder:validation:XValidation:rule="self != 'core' && !self.matches('^v[0-9]+((alpha|beta)[0-9]+)?$')",reason=FieldValueInvalid,message="no API group has this name: leave group out for the core group of ConfigMap and Secret, and write a version such as \"v1\" into version"
	Group string `json:"group,omitempty"`

	// version is the API version of the source, such as "v1". Leave it out for
	// the version that the API server prefers, even if that changes
	// later. The condition SourceResolved shows which one it is.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^(v[0-9]([-a-z0-9]*[a-z0-9])?)?$')",reason=FieldValueInvalid,message="version is written without its group, like \"v1\" or \"v1beta1\": leave it out to follow the version that the API server prefers"
	Version string `json:"version,omitempty"`

	// kind is the kind of the source in PascalCase, such as "ConfigMap". It can be any
	// namespaced kind that supports get, list, watch, patch and delete, including custom
	// resources.
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Z][A-Za-z0-9]*$')",reason=FieldValueInvalid,message="kind is written in PascalCase and in the singular, like \"ConfigMap\" or \"Secret\", not like \"configmaps\""
	Kind string `json:"kind"`

	// namespace is the namespace of the source.
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the name of a namespace: write lower case letters, digits and \"-\", with a letter or digit at both ends, like \"platform\""
	Namespace string `json:"namespace"`

	// name is the name of the source. Either name or selector is set.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self != '' && self != '.' && self != '..' && !self.contains('/') && !self.contains('%')",reason=FieldValueInvalid,message="this cannot be the name of an object: write it without \"/\" and \"%\", and not as \".\" or \"..\"; the namespace goes into namespace"
	Name string `json:"name,omitempty"`

	// selector selects sources in namespace by their labels; {} selects all. Each whose owner consents is copied under its own name, or the one
	// that destination.nameExpression results in; with merge, all of them become one copy, in the order of their names. The selector may match up to
	// 500 objects. Objects that are being deleted, and copies of this rule, do not count.
	// +optional
	Selector *SourceSelector `json:"selector,omitempty"`

	// apiVersion is refused: rules have group and version instead.
	// +optional
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="false",reason=FieldValueForbidden,message="source has no apiVersion: write group and version instead, such as group: apps for apps/v1, and leave group out for v1"
	APIVersion string `json:"apiVersion,omitempty"`
}

// IsRemote reports whether the source is in another cluster.
func (s SourceRef) IsRemote() bool { return s.Cluster != "" }

// GroupKind is the group and kind of the source.
func (s SourceRef) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: s.Group, Kind: s.Kind}
}
