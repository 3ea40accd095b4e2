package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Projection copies one object into the namespace of the Projection, and keeps the copy in sync.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:scope=Namespaced,shortName=proj,categories=projection-sh
// +kubebuilder:selectablefield:JSONPath=`.spec.source.cluster`
// +kubebuilder:selectablefield:JSONPath=`.spec.source.kind`
// +kubebuilder:selectablefield:JSONPath=`.spec.source.namespace`
// +kubebuilder:selectablefield:JSONPath=`.spec.source.name`
// +kubebuilder:printcolumn:name="Kind",type=string,JSONPath=`.spec.source.kind`,description="Kind of the source and of the copy."
// +kubebuilder:printcolumn:name="Source-Group",type=string,JSONPath=`.spec.source.group`,priority=1,description="API group of the source; empty for the core group."
// +kubebuilder:printcolumn:name="Source-Namespace",type=string,JSONPath=`.spec.source.namespace`,description="Namespace of the source."
// +kubebuilder:printcolumn:name="Source-Name",type=string,JSONPath=`.spec.source.name`,description="Name of the source."
// +kubebuilder:printcolumn:name="Destination-Name",type=string,JSONPath=`.status.destinationName`,description="Name of the copy."
// +kubebuilder:printcolumn:name="Sources",type=integer,JSONPath=`.status.sources`,priority=1,description="Number of sources that source.selector selects and whose owners consent; empty if the rule names its source."
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].status`,description="Whether the copy is in sync."
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].reason`,description="Reason of the condition Ready."
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].message`,priority=1,description="Message of the condition Ready."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="Time since the Projection was created."
type Projection struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard metadata of an object. The copy is written into its namespace.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec defines the source, and the name, labels and annotations of the copy.
	// +required
	Spec ProjectionSpec `json:"spec"`

	// status is the state that the operator last reported.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status ProjectionStatus `json:"status,omitzero"`
}

// ProjectionList is a list of Projections.
//
// +kubebuilder:object:root=true
type ProjectionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []Projection `json:"items"`
}

// ProjectionSpec defines the source, and the name, labels and annotations of the copy.
//
// +kubebuilder:validation:XValidation:rule="!has(self.destination) || !has(self.destination.kind) || (self.source.kind in ['ConfigMap', 'Secret'] && (!has(self.source.group) || size(self.source.group) == 0))",reason=FieldValueForbidden,fieldPath=.destination.kind,message="only a ConfigMap or a Secret of the core group can be copied as the other of the two: remove destination.kind"
// +kubebuilder:validation:XValidation:rule="!(has(self.destination) && has(self.destination.kind) && self.destination.kind == 'ConfigMap' && self.source.kind == 'Secret') || (has(self.content) && has(self.content.data) && has(self.content.data.include) && size(self.content.data.include) > 0 && self.content.data.include.all(k, !k.contains('*')))",reason=FieldValueRequired,fieldPath=.content.data.include,message="a ConfigMap is readable by more people than a Secret: list every key to copy in content.data.include, without *"
// +kubebuilder:validation:XValidation:rule="!has(self.content) || !has(self.content.data) || (self.source.kind in ['ConfigMap', 'Secret'] && (!has(self.source.group) || size(self.source.group) == 0))",reason=FieldValueForbidden,fieldPath=.content.data,message="only a ConfigMap or a Secret of the core group has keys to choose: remove content.data"
// +kubebuilder:validation:XValidation:rule="!has(self.merge) || (self.source.kind in ['ConfigMap', 'Secret'] && (!has(self.source.group) || size(self.source.group) == 0))",reason=FieldValueForbidden,fieldPath=.merge,message="only a ConfigMap or a Secret of the core group has keys to merge: remove merge"
// +kubebuilder:validation:XValidation:rule="!has(self.merge) || !has(self.source.cluster)",reason=FieldValueForbidden,fieldPath=.merge,message="a source in another cluster cannot be merged with others: remove merge, or copy the source into this cluster by a rule of its own, and merge that copy"
// +kubebuilder:validation:XValidation:rule="!has(self.merge) || has(self.source.selector) || (has(self.merge.layers) && size(self.merge.layers) > 0)",reason=FieldValueRequired,fieldPath=.merge.layers,message="there is nothing to merge: list at least one layer, set source.selector in place of source.name, or remove merge"
// +kubebuilder:validation:XValidation:rule="!has(self.merge) || !has(self.merge.layers) || (has(self.destination) && has(self.destination.kind) ? self.destination.kind : self.source.kind) != 'ConfigMap' || !self.merge.layers.exists(l, has(l.kind) && l.kind == 'Secret') || (has(self.content) && has(self.content.data) && has(self.content.data.include) && size(self.content.data.include) > 0 && self.content.data.include.all(k, !k.contains('*')))",reason=FieldValueRequired,fieldPath=.content.data.include,message="a ConfigMap is readable by more people than a Secret, which is among the layers: list every key to copy in content.data.include, without *"
// +kubebuilder:validation:XValidation:rule="!has(self.policy) || !has(self.policy.onImmutable) || self.policy.onImmutable != 'Recreate' || self.source.kind != 'PersistentVolumeClaim' || (has(self.source.group) && size(self.source.group) > 0)",reason=FieldValueForbidden,fieldPath=.policy.onImmutable,message="a PersistentVolumeClaim that is recreated loses its data: remove onImmutable"
// +kubebuilder:validation:XValidation:rule="!has(self.policy) || !has(self.policy.retain) || !('TargetDropped' in self.policy.retain)",reason=FieldValueForbidden,fieldPath=.policy.retain,message="the namespace of a Projection is always its target: remove TargetDropped from the list, or create a ClusterProjection"
// +kubebuilder:validation:XValidation:rule="!has(self.source.selector) || has(self.merge) || !has(self.destination) || !has(self.destination.name)",reason=FieldValueForbidden,fieldPath=.destination.name,message="selected sources cannot all have one name: remove destination.name, or write destination.nameExpression"
// +kubebuilder:validation:XValidation:rule="!has(self.source.selector) || !has(self.merge) || (has(self.destination) && has(self.destination.name))",reason=FieldValueRequired,fieldPath=.destination.name,message="the sources that are selected become one object: name it in destination.name, or remove merge"
type ProjectionSpec struct {
	// source names the object to copy, or selects several.
	// +required
	Source SourceRef `json:"source"`

	// destination sets the name of the copy. The copy is always written into the namespace of the Projection.
	// +optional
	Destination ProjectionDestination `json:"destination,omitzero"`

	// content defines which labels, annotations, keys and fields of the source are copied. If it is absent, all are.
	// +optional
	Content Content `json:"content,omitzero"`

	// merge lays the keys of other ConfigMaps or Secrets to those of the source. If it is absent, the content of the copy is that of the source alone.
	// +optional
	Merge *Merge `json:"merge,omitempty"`

	// overlay adds labels and annotations to the copy. If the source has the same key, the overlay wins.
	// +optional
	Overlay Overlay `json:"overlay,omitzero"`

	// serviceAccountName is a service account in the namespace of the Projection. The operator
	// reads the source and writes the copy in its name, so that its permissions apply.
	// If it is absent, those of the operator's --default-service-account apply, if that is
	// set, else those of the operator itself.
	// +optional
	ServiceAccountName ServiceAccountName `json:"serviceAccountName,omitempty"`

	// serviceAccount is refused: serviceAccountName names a service account of this namespace.
	// +optional
	// +kubebuilder:validation:XValidation:rule="false",reason=FieldValueForbidden,message="a Projection uses a service account in its namespace: write serviceAccountName instead, such as serviceAccountName: promoter"
	ServiceAccount RefusedObject `json:"serviceAccount,omitzero"`

	// rollout is refused: a ClusterProjection changes its copies in waves.
	// +optional
	// +kubebuilder:validation:XValidation:rule="false",reason=FieldValueForbidden,message="a Projection has one copy, so there are no waves: remove rollout, or create a ClusterProjection"
	Rollout RefusedObject `json:"rollout,omitzero"`

	// policy defines how the copy begins, changes and ends: what happens to an object in its place, to a copy that exists, and to the copy at the end
	// of this rule, of the source or of a target.
	// +optional
	Policy Policy `json:"policy,omitzero"`

	// suspend has the operator keep watching and report what it would do, but write and delete no copy. The copy stays as it is, even if
	// the owner of the source takes consent back. If you delete the rule, its copies are deleted all the same.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// ProjectionDestination sets the name of the copy.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.name) && has(self.nameExpression))",reason=FieldValueForbidden,fieldPath=.nameExpression,message="name and nameExpression are mutually exclusive: keep one and remove the other"
type ProjectionDestination struct {
	// name of the copy. Defaults to the name of the source.
	// +optional
	Name ObjectName `json:"name,omitempty"`

	// nameExpression is a CEL expression for the name of the copy, in place of name, such as "'shared-' + source.metadata.name". It knows source,
	// of which it sees metadata.name, metadata.namespace and metadata.labels, and target, the namespace of this Projection with its name, labels and
	// annotations. If the result changes, the copy is created under the new name, and then deleted under the old one. Of
	// several sources for which the result is the same, the first in alphabetical order has the copy.
	// +optional
	NameExpression NameExpression `json:"nameExpression,omitempty"`

	// kind of the copy: Secret if a ConfigMap is copied as a Secret, or ConfigMap if keys of a Secret are copied as a ConfigMap. The owner of a
	// Secret has to declare these keys public, by the annotation projection.sh/public-keys. Defaults to the kind of the source.
	// +optional
	// +kubebuilder:validation:Enum=ConfigMap;Secret
	Kind string `json:"kind,omitempty"`

	// namespace is refused: the copy is written into the namespace of the Projection.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="false",reason=FieldValueForbidden,message="the copy is always written into the namespace of the Projection: remove namespace, and create the Projection in the namespace that is to have the copy"
	Namespace string `json:"namespace,omitempty"`

	// selector is refused: a ClusterProjection selects namespaces.
	// +optional
	// +kubebuilder:validation:XValidation:rule="false",reason=FieldValueForbidden,message="a Projection has one copy, in its own namespace: remove selector, or create a ClusterProjection with destination.namespaceSelector"
	Selector RefusedObject `json:"selector,omitzero"`
}

// ProjectionStatus is the state that the operator reports of a Projection.
type ProjectionStatus struct {
	CommonStatus `json:",inline"`
}

// GetKind returns KindProjection, even if the type metadata is empty.
func (*Projection) GetKind() string { return KindProjection }

// GetSource returns the reference to the source. If all sources that it selects are merged, its name is SelectedName.
func (p *Projection) GetSource() SourceRef { return p.Spec.Merge.of(p.Spec.Source) }

// GetOverlay returns the labels and annotations to add to the copy.
func (p *Projection) GetOverlay() Overlay { return p.Spec.Overlay }

// GetCopyKind returns the kind of the copies if it is not that of the source, and "" otherwise.
func (p *Projection) GetCopyKind() string { return copyKind(p.Spec.Source, p.Spec.Destination.Kind) }

// GetContent returns what of the source is copied.
func (p *Projection) GetContent() Content { return p.Spec.Content }

// GetServiceAccount returns the service account in whose name the source is read and the copy is written; nil if the Projection names none.
func (p *Projection) GetServiceAccount() *ServiceAccountRef {
	if p.Spec.ServiceAccountName == "" {
		return nil
	}
	return &ServiceAccountRef{Namespace: p.Namespace, Name: p.Spec.ServiceAccountName}
}

// GetPolicy returns how copies begin, change and end.
func (p *Projection) GetPolicy() Policy { return p.Spec.Policy }

// GetDestinationName returns the wanted name of the copy.
func (p *Projection) GetDestinationName() string {
	return nameOr(p.Spec.Destination.Name, p.Spec.Source.Name)
}

// GetNameExpression returns the expression for the name of the copy; empty: the copy has GetDestinationName.
func (p *Projection) GetNameExpression() string { return p.Spec.Destination.NameExpression }

// GetCommonStatus returns the part of the status that both kinds have, for reading and writing.
func (p *Projection) GetCommonStatus() *CommonStatus { return &p.Status.CommonStatus }

// GetStatusConditions returns the conditions for reading and writing.
func (p *Projection) GetStatusConditions() *[]metav1.Condition { return &p.Status.Conditions }

// GetMerge returns what is merged with the source; zero: nothing.
func (p *Projection) GetMerge() MergeSpec { return p.Spec.Merge.with(p.Spec.Source) }
