package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterProjection copies one object into many namespaces, and keeps the copies in sync.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:scope=Cluster,shortName=cproj,categories=projection-sh
// +kubebuilder:selectablefield:JSONPath=`.spec.source.cluster`
// +kubebuilder:selectablefield:JSONPath=`.spec.source.kind`
// +kubebuilder:selectablefield:JSONPath=`.spec.source.namespace`
// +kubebuilder:selectablefield:JSONPath=`.spec.source.name`
// +kubebuilder:printcolumn:name="Kind",type=string,JSONPath=`.spec.source.kind`,description="Kind of the source and of the copies."
// +kubebuilder:printcolumn:name="Source-Group",type=string,JSONPath=`.spec.source.group`,priority=1,description="API group of the source; empty for the core group."
// +kubebuilder:printcolumn:name="Source-Namespace",type=string,JSONPath=`.spec.source.namespace`,description="Namespace of the source."
// +kubebuilder:printcolumn:name="Source-Name",type=string,JSONPath=`.spec.source.name`,description="Name of the source."
// +kubebuilder:printcolumn:name="Destination-Name",type=string,JSONPath=`.status.destinationName`,description="Name of the copies."
// +kubebuilder:printcolumn:name="Sources",type=integer,JSONPath=`.status.sources`,priority=1,description="Number of sources that source.selector selects and whose owners consent; empty if the rule names its source."
// +kubebuilder:printcolumn:name="Targets",type=integer,JSONPath=`.status.namespacesWritten`,description="Number of namespaces whose copy is in sync."
// +kubebuilder:printcolumn:name="Targeted",type=integer,JSONPath=`.status.namespacesTargeted`,priority=1,description="Number of target namespaces."
// +kubebuilder:printcolumn:name="Failed",type=integer,JSONPath=`.status.namespacesFailed`,priority=1,description="Number of namespaces whose copy could not be written."
// +kubebuilder:printcolumn:name="Selector",type=string,JSONPath=`.spec.destination.namespaceSelector.matchLabels`,priority=1,description="matchLabels of the namespace selector; empty if the rule lists namespaces."
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].status`,description="Whether every copy is in sync."
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].reason`,description="Reason of the condition Ready."
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].message`,priority=1,description="Message of the condition Ready."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="Time since the ClusterProjection was created."
type ClusterProjection struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard metadata of an object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec defines the source, the target namespaces, and what the operator adds to the copies.
	// +required
	Spec ClusterProjectionSpec `json:"spec"`

	// status is the state that the operator last reported.
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

// ClusterProjectionSpec defines the source, the target namespaces, and what the operator adds to the copies.
//
// +kubebuilder:validation:XValidation:rule="!has(self.destination.kind) || (self.source.kind in ['ConfigMap', 'Secret'] && (!has(self.source.group) || size(self.source.group) == 0))",reason=FieldValueForbidden,fieldPath=.destination.kind,message="only a ConfigMap or a Secret of the core group can be copied as the other of the two: remove destination.kind"
// +kubebuilder:validation:XValidation:rule="!(has(self.destination.kind) && self.destination.kind == 'ConfigMap' && self.source.kind == 'Secret') || (has(self.content) && has(self.content.data) && has(self.content.data.include) && size(self.content.data.include) > 0 && self.content.data.include.all(k, !k.contains('*')))",reason=FieldValueRequired,fieldPath=.content.data.include,message="a ConfigMap is readable by more people than a Secret: list every key to copy in content.data.include, without *"
// +kubebuilder:validation:XValidation:rule="!has(self.content) || !has(self.content.data) || (self.source.kind in ['ConfigMap', 'Secret'] && (!has(self.source.group) || size(self.source.group) == 0))",reason=FieldValueForbidden,fieldPath=.content.data,message="only a ConfigMap or a Secret of the core group has keys to choose: remove content.data"
// +kubebuilder:validation:XValidation:rule="!has(self.merge) || (self.source.kind in ['ConfigMap', 'Secret'] && (!has(self.source.group) || size(self.source.group) == 0))",reason=FieldValueForbidden,fieldPath=.merge,message="only a ConfigMap or a Secret of the core group has keys to merge: remove merge"
// +kubebuilder:validation:XValidation:rule="!has(self.merge) || !has(self.source.cluster)",reason=FieldValueForbidden,fieldPath=.merge,message="a source in another cluster cannot be merged with others: remove merge, or copy the source into this cluster by a rule of its own, and merge that copy"
// +kubebuilder:validation:XValidation:rule="!has(self.merge) || has(self.source.selector) || (has(self.merge.layers) && size(self.merge.layers) > 0)",reason=FieldValueRequired,fieldPath=.merge.layers,message="there is nothing to merge: list at least one layer, set source.selector in place of source.name, or remove merge"
// +kubebuilder:validation:XValidation:rule="!has(self.merge) || !has(self.merge.layers) || (has(self.destination.kind) ? self.destination.kind : self.source.kind) != 'ConfigMap' || !self.merge.layers.exists(l, has(l.kind) && l.kind == 'Secret') || (has(self.content) && has(self.content.data) && has(self.content.data.include) && size(self.content.data.include) > 0 && self.content.data.include.all(k, !k.contains('*')))",reason=FieldValueRequired,fieldPath=.content.data.include,message="a ConfigMap is readable by more people than a Secret, which is among the layers: list every key to copy in content.data.include, without *"
// +kubebuilder:validation:XValidation:rule="!has(self.policy) || !has(self.policy.onImmutable) || self.policy.onImmutable != 'Recreate' || self.source.kind != 'PersistentVolumeClaim' || (has(self.source.group) && size(self.source.group) > 0)",reason=FieldValueForbidden,fieldPath=.policy.onImmutable,message="a PersistentVolumeClaim that is recreated loses its data: remove onImmutable"
// +kubebuilder:validation:XValidation:rule="!has(self.source.selector) || has(self.merge) || !has(self.destination.name)",reason=FieldValueForbidden,fieldPath=.destination.name,message="selected sources cannot all have one name: remove destination.name, or write destination.nameExpression"
// +kubebuilder:validation:XValidation:rule="!has(self.source.selector) || !has(self.merge) || (has(self.destination.name))",reason=FieldValueRequired,fieldPath=.destination.name,message="the sources that are selected become one object: name it in destination.name, or remove merge"
// +kubebuilder:validation:XValidation:rule="!has(self.destination.clusters) || !has(self.rollout)",reason=FieldValueForbidden,fieldPath=.rollout,message="a rule with destination.clusters cannot have a rollout yet: remove rollout, or create a rule for each group of clusters, and change one after the other"
// +kubebuilder:validation:XValidation:rule="!has(self.destination.clusters) || !has(self.merge)",reason=FieldValueForbidden,fieldPath=.merge,message="copies in other clusters cannot be merged of several objects yet: remove merge, or merge by a rule without destination.clusters, and copy the result by a rule with it"
// +kubebuilder:validation:XValidation:rule="!has(self.destination.clusters) || !has(self.source.selector)",reason=FieldValueForbidden,fieldPath=.source.selector,message="a rule with destination.clusters cannot select its sources yet: remove source.selector and set source.name, and create a rule for each source"
type ClusterProjectionSpec struct {
	// source names the object to copy, or selects several.
	// +required
	Source SourceRef `json:"source"`

	// destination selects the target namespaces, and sets the name of the copies.
	// +required
	Destination ClusterProjectionDestination `json:"destination"`

	// content defines which labels, annotations, keys and fields of the source are copied. If it is absent, all are.
	// +optional
	Content Content `json:"content,omitzero"`

	// merge lays the keys of other ConfigMaps or Secrets to those of the source. If it is absent, the content of the copies is that of the source alone.
	// +optional
	Merge *Merge `json:"merge,omitempty"`

	// overlay adds labels and annotations to the copies. If the source has the same key, the overlay wins.
	// +optional
	Overlay Overlay `json:"overlay,omitzero"`

	// serviceAccount names a service account. The operator reads the source and writes the
	// copies in its name, so that its permissions apply. If it is absent, the operator's own do.
	// +optional
	ServiceAccount *ServiceAccountRef `json:"serviceAccount,omitempty"`

	// serviceAccountName is refused: serviceAccount names a service account and its namespace.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="false",reason=FieldValueForbidden,message="a ClusterProjection has no namespace: write serviceAccount instead, such as serviceAccount: {namespace: platform, name: promoter}"
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// policy defines how copies begin, change and end: what happens to an object in the place of a copy, to copies that exist, and to the copies at the
	// end of this rule, of the source or of a target.
	// +optional
	Policy Policy `json:"policy,omitzero"`

	// suspend has the operator keep watching and report what it would do, but write and delete no copy. The copies stay as they are, even if
	// the owner of the source takes consent back. If you delete the rule, its copies are deleted all the same.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// rollout has the operator change the copies one after the other, in waves of namespaces, instead of all at once.
	// +optional
	Rollout *Rollout `json:"rollout,omitempty"`
}

// ClusterProjectionDestination selects the target namespaces. Either namespaces or namespaceSelector is set.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.namespaces) && has(self.namespaceSelector))",reason=FieldValueForbidden,fieldPath=.namespaceSelector,message="namespaces and namespaceSelector are mutually exclusive: keep the list or the selector and remove the other"
// +kubebuilder:validation:XValidation:rule="has(self.namespaces) || has(self.namespaceSelector) || has(self.namespace) || has(self.selector)",reason=FieldValueRequired,fieldPath=.namespaces,message="at least one of namespaces and namespaceSelector must be set: list the target namespaces, or select them by label, {} selecting all"
// +kubebuilder:validation:XValidation:rule="!(has(self.name) && has(self.nameExpression))",reason=FieldValueForbidden,fieldPath=.nameExpression,message="name and nameExpression are mutually exclusive: keep one and remove the other"
// +kubebuilder:validation:XValidation:rule="!has(self.createNamespaces) || self.createNamespaces != 'IfMissing' || (has(self.clusters) && has(self.namespaces))",reason=FieldValueForbidden,fieldPath=.createNamespaces,message="only namespaces that are listed are created, and only in other clusters: set clusters and namespaces, or remove createNamespaces"
type ClusterProjectionDestination struct {
	// clusters selects the clusters that copies are written into: those, and this cluster only if a RemoteCluster with access.inCluster is among
	// them. namespaces and namespaceSelector then select namespaces in each of them. The owner of the source has to consent by the annotation
	// projection.sh/exportable, besides projection.sh/projectable. Left out: copies are written into this cluster. This field is alpha: it needs an
	// operator that runs with --remote-clusters.
	// +optional
	Clusters *ClusterTargets `json:"clusters,omitempty"`

	// namespaces lists the target namespaces. If one does not exist yet, the operator creates the copy when it does.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=5000
	// +kubebuilder:validation:XValidation:rule="size(self) > 0",reason=FieldValueRequired,message="list at least one namespace, or remove namespaces and set namespaceSelector"
	Namespaces []NamespaceName `json:"namespaces,omitempty"`

	// createNamespaces says whether a listed namespace is created in a cluster of clusters that lacks it: "Never" or "IfMissing". Namespaces that were
	// created have the label projection.sh/hub-<hub id>, and are never deleted. Defaults to Never. This field is alpha.
	// +optional
	// +kubebuilder:validation:Enum=Never;IfMissing
	CreateNamespaces CreateNamespaces `json:"createNamespaces,omitempty"`

	// namespaceSelector selects the target namespaces by their labels; {} selects
	// all. The operator creates a copy when a namespace starts to match, and deletes
	// it when the namespace stops. Terminating namespaces, and those that the
	// operator excludes from selectors, never match.
	// +optional
	NamespaceSelector *NamespaceSelector `json:"namespaceSelector,omitempty"`

	// name of the copies in every target namespace. Defaults to the name of the source.
	// +optional
	Name ObjectName `json:"name,omitempty"`

	// nameExpression is a CEL expression for the names of the copies, in place of name, such as "'settings-' + target.labels['team']". It knows
	// source, of which it sees metadata.name, metadata.namespace and metadata.labels, and target, the namespace of the copy with its name, labels
	// and annotations. If the result changes, the copy is created under the new name, and then deleted under the old one. Of
	// several sources for which the result is the same, the first in alphabetical order has the copy.
	// +optional
	NameExpression NameExpression `json:"nameExpression,omitempty"`

	// kind of the copies: Secret if a ConfigMap is copied as a Secret, or ConfigMap if keys of a Secret are copied as a ConfigMap. The owner of a
	// Secret has to declare these keys public, by the annotation projection.sh/public-keys. Defaults to the kind of the source.
	// +optional
	// +kubebuilder:validation:Enum=ConfigMap;Secret
	Kind string `json:"kind,omitempty"`

	// namespace is refused: namespaces lists the target namespaces.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="false",reason=FieldValueForbidden,message="destination has no namespace: list the target namespaces in namespaces, such as namespaces: [tenant-a]"
	Namespace string `json:"namespace,omitempty"`

	// selector is refused: namespaceSelector selects the target namespaces.
	// +optional
	// +kubebuilder:validation:XValidation:rule="false",reason=FieldValueForbidden,message="destination has no selector: write namespaceSelector instead, with matchLabels or matchExpressions"
	Selector RefusedObject `json:"selector,omitzero"`
}

// ClusterProjectionStatus is the state that the operator reports of a ClusterProjection.
type ClusterProjectionStatus struct {
	CommonStatus `json:",inline"`

	// namespacesTargeted is the number of target namespaces, whether their copies are in sync or not. Skipped ones do not count.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NamespacesTargeted *int32 `json:"namespacesTargeted,omitempty"`

	// namespacesWritten is the number of target namespaces whose copy is in sync. It is absent until the operator has resolved
	// the targets for the first time.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NamespacesWritten *int32 `json:"namespacesWritten,omitempty"`

	// namespacesFailed is the number of target namespaces whose copy could not be written, including those that failures omits.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NamespacesFailed *int32 `json:"namespacesFailed,omitempty"`

	// namespacesSkipped is the number of namespaces that have no copy although the rule names or selects them, and that are no failure:
	// namespaceSelector selects them and the owner of the source does not permit them, or policy.onConflict is Skip and another object is there.
	// It is absent if there are none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NamespacesSkipped *int32 `json:"namespacesSkipped,omitempty"`

	// namespacesHeld is the number of target namespaces whose copy waits: for its turn in a rollout, or for a suspended rule to be resumed.
	// Deletions are not counted. It is absent if the rule has no rollout and is not suspended.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NamespacesHeld *int32 `json:"namespacesHeld,omitempty"`

	// failureReasons counts the failed namespaces by reason, in alphabetical order, including those that failures omits. It has up to 16 reasons,
	// which are more than the operator knows.
	// +optional
	// +listType=map
	// +listMapKey=reason
	// +kubebuilder:validation:MaxItems=16
	FailureReasons []ReasonCount `json:"failureReasons,omitempty"`

	// rollout reports how far the present change has come. It is absent if the rule has no rollout.
	// +optional
	Rollout *RolloutStatus `json:"rollout,omitempty"`

	// failures lists reason and message for the first 20 failed namespaces, in alphabetical order.
	// +optional
	// +listType=map
	// +listMapKey=namespace
	// +kubebuilder:validation:MaxItems=20
	Failures []NamespaceFailure `json:"failures,omitempty"`

	// clusters counts the clusters that the rule copies into. It is absent if the rule has no destination.clusters.
	// +optional
	Clusters *ClusterCounts `json:"clusters,omitempty"`

	// clusterFailures lists reason and message for the first 20 failures in other clusters, in alphabetical order of the cluster and of the
	// namespace in it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	ClusterFailures []ClusterFailure `json:"clusterFailures,omitempty"`
}

// MaxFailureReasons is the maximum number of reasons that the status of a ClusterProjection counts.
const MaxFailureReasons = 16

// MaxFailures is the maximum number of failures in the status of a ClusterProjection.
const MaxFailures = 20

// GetKind returns KindClusterProjection, even if the type metadata is empty.
func (*ClusterProjection) GetKind() string { return KindClusterProjection }

// GetSource returns the reference to the source. If all sources that it selects are merged, its name is SelectedName.
func (p *ClusterProjection) GetSource() SourceRef { return p.Spec.Merge.of(p.Spec.Source) }

// GetOverlay returns the labels and annotations to add to the copies.
func (p *ClusterProjection) GetOverlay() Overlay { return p.Spec.Overlay }

// GetCopyKind returns the kind of the copies if it is not that of the source, and "" otherwise.
func (p *ClusterProjection) GetCopyKind() string {
	return copyKind(p.Spec.Source, p.Spec.Destination.Kind)
}

// GetContent returns what of the source is copied.
func (p *ClusterProjection) GetContent() Content { return p.Spec.Content }

// GetServiceAccount returns the service account in whose name the source is read and the copies are written; nil if the ClusterProjection
// names none.
func (p *ClusterProjection) GetServiceAccount() *ServiceAccountRef { return p.Spec.ServiceAccount }

// GetPolicy returns how copies begin, change and end.
func (p *ClusterProjection) GetPolicy() Policy { return p.Spec.Policy }

// GetDestinationName returns the wanted name of the copies.
func (p *ClusterProjection) GetDestinationName() string {
	return nameOr(p.Spec.Destination.Name, p.Spec.Source.Name)
}

// GetNameExpression returns the expression for the names of the copies; empty: all have GetDestinationName.
func (p *ClusterProjection) GetNameExpression() string { return p.Spec.Destination.NameExpression }

// GetCommonStatus returns the part of the status that both kinds have, for reading and writing.
func (p *ClusterProjection) GetCommonStatus() *CommonStatus { return &p.Status.CommonStatus }

// GetStatusConditions returns the conditions for reading and writing.
func (p *ClusterProjection) GetStatusConditions() *[]metav1.Condition { return &p.Status.Conditions }

// GetMerge returns what is merged with the source; zero: nothing.
func (p *ClusterProjection) GetMerge() MergeSpec { return p.Spec.Merge.with(p.Spec.Source) }
