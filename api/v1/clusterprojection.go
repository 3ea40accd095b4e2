package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterProjection copies one object into many namespaces, and keeps the copies in step.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:scope=Cluster,shortName=cproj,categories=projection-sh
// +kubebuilder:selectablefield:JSONPath=`.spec.source.kind`
// +kubebuilder:selectablefield:JSONPath=`.spec.source.namespace`
// +kubebuilder:selectablefield:JSONPath=`.spec.source.name`
// +kubebuilder:printcolumn:name="Kind",type=string,JSONPath=`.spec.source.kind`,description="Kind of the source and of the copies."
// +kubebuilder:printcolumn:name="Source-Group",type=string,JSONPath=`.spec.source.group`,priority=1,description="API group of the source; empty for the core group."
// +kubebuilder:printcolumn:name="Source-Namespace",type=string,JSONPath=`.spec.source.namespace`,description="Namespace of the source."
// +kubebuilder:printcolumn:name="Source-Name",type=string,JSONPath=`.spec.source.name`,description="Name of the source."
// +kubebuilder:printcolumn:name="Destination-Name",type=string,JSONPath=`.status.destinationName`,description="Name of the copies."
// +kubebuilder:printcolumn:name="Targets",type=integer,JSONPath=`.status.namespacesWritten`,description="Namespaces whose copy is in step."
// +kubebuilder:printcolumn:name="Failed",type=integer,JSONPath=`.status.namespacesFailed`,priority=1,description="Namespaces whose copy could not be written."
// +kubebuilder:printcolumn:name="Selector",type=string,JSONPath=`.spec.destination.namespaceSelector.matchLabels`,priority=1,description="Labels that select the namespaces; empty where they are listed."
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].status`,description="Whether every copy is in step."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="Time since the ClusterProjection was created."
type ClusterProjection struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard metadata of an object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec says what is copied, where to, and how the copies differ.
	// +required
	Spec ClusterProjectionSpec `json:"spec"`

	// status is what the operator reports.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status ClusterProjectionStatus `json:"status,omitzero"`
}

// ClusterProjectionList is a list of ClusterProjections.
//
// +kubebuilder:object:root=true
type ClusterProjectionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []ClusterProjection `json:"items"`
}

// ClusterProjectionSpec says what is copied, where to, and how the copies differ.
type ClusterProjectionSpec struct {
	// source names the object that is copied.
	// +required
	Source SourceRef `json:"source"`

	// destination says into which namespaces copies go, and how they are named.
	// +required
	Destination ClusterProjectionDestination `json:"destination"`

	// overlay is what the copies bear on top of the metadata of their source.
	// +optional
	Overlay Overlay `json:"overlay,omitzero"`
}

// ClusterProjectionDestination says where copies go. Either namespaces or namespaceSelector is set.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.namespaces) && has(self.namespaceSelector))",reason=FieldValueForbidden,fieldPath=.namespaceSelector,message="namespaces and namespaceSelector are mutually exclusive: keep the list or the selector and remove the other"
// +kubebuilder:validation:XValidation:rule="has(self.namespaces) || has(self.namespaceSelector)",reason=FieldValueRequired,fieldPath=.namespaces,message="at least one of namespaces and namespaceSelector must be set: list the target namespaces, or select them by label, {} selecting all"
type ClusterProjectionDestination struct {
	// namespaces lists the target namespaces. One that does not exist yet gets its copy when it appears.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5000
	// +kubebuilder:validation:XValidation:rule="size(self) > 0",reason=FieldValueRequired,message="list at least one namespace, or remove namespaces and set namespaceSelector"
	Namespaces []NamespaceName `json:"namespaces,omitempty"`

	// namespaceSelector selects the target namespaces by their labels; {} selects
	// all. Namespaces that begin or cease to match gain or lose their copy.
	// Terminating namespaces, and those that the operator excludes from selectors,
	// are never selected.
	// +optional
	NamespaceSelector *NamespaceSelector `json:"namespaceSelector,omitempty"`

	// name of the copies in every target namespace. Empty or left out: the name of the source.
	// +optional
	Name ObjectName `json:"name,omitempty"`
}

// ClusterProjectionStatus is what the operator reports on a ClusterProjection.
type ClusterProjectionStatus struct {
	CommonStatus `json:",inline"`

	// namespacesWritten counts the target namespaces whose copy is in step. It is absent until targets were first resolved.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NamespacesWritten *int32 `json:"namespacesWritten,omitempty"`

	// namespacesFailed counts the target namespaces whose copy could not be written. It is exact where failures is cut short.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NamespacesFailed *int32 `json:"namespacesFailed,omitempty"`

	// failures tells what went wrong in the first 20 of the failed namespaces, in their alphabetical order.
	// +optional
	// +listType=map
	// +listMapKey=namespace
	// +kubebuilder:validation:MaxItems=20
	Failures []NamespaceFailure `json:"failures,omitempty"`
}

// MaxFailures is how many failures the status of a ClusterProjection can hold.
const MaxFailures = 20

// GetKind returns KindClusterProjection, also where the type metadata is empty.
func (*ClusterProjection) GetKind() string { return KindClusterProjection }

// GetSource returns the reference to the source.
func (p *ClusterProjection) GetSource() SourceRef { return p.Spec.Source }

// GetOverlay returns what copies bear on top of the metadata of their source.
func (p *ClusterProjection) GetOverlay() Overlay { return p.Spec.Overlay }

// GetDestinationName returns the name that copies are to have.
func (p *ClusterProjection) GetDestinationName() string {
	return nameOr(p.Spec.Destination.Name, p.Spec.Source.Name)
}

// GetCommonStatus returns the part of the status that both kinds have, for reading and writing.
func (p *ClusterProjection) GetCommonStatus() *CommonStatus { return &p.Status.CommonStatus }

// GetStatusConditions returns the conditions for reading and writing.
func (p *ClusterProjection) GetStatusConditions() *[]metav1.Condition { return &p.Status.Conditions }
