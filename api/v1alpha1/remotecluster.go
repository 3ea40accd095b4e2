package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// RemoteCluster says how another cluster is reached, who the operator is there, and what may be copied from and to it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=rcl,categories=projection-sh
// +kubebuilder:selectablefield:JSONPath=`.spec.access.kubeconfig.secret`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].status`,description="Whether the operator can do there what rules ask for."
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].reason`,description="Reason of the condition Ready."
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.version`,description="Version of its API server."
// +kubebuilder:printcolumn:name="Rules",type=integer,JSONPath=`.status.rules`,description="Number of rules that copy from or to it."
// +kubebuilder:printcolumn:name="Copies",type=integer,JSONPath=`.status.copies`,description="Number of copies in it, when it was last reached."
// +kubebuilder:printcolumn:name="Identity",type=string,priority=1,JSONPath=`.status.identity`,description="Uid of its namespace kube-system."
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=='Ready')].message`,description="Message of the condition Ready."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="Time since the RemoteCluster was created."
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && !self.metadata.name.contains('.')",reason=FieldValueInvalid,message="rules name a RemoteCluster, and their records do: give it a name without dots, of at most 63 characters, like \"eu-1\""
type RemoteCluster struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard metadata of an object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec says how the cluster is reached, and what may be copied.
	// +required
	Spec RemoteClusterSpec `json:"spec"`

	// status is the state that the operator last reported.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status RemoteClusterStatus `json:"status,omitzero"`
}

// RemoteClusterList is a list of RemoteClusters.
//
// +kubebuilder:object:root=true
type RemoteClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []RemoteCluster `json:"items"`
}

// RemoteClusterSpec says how the cluster is reached, and what may be copied.
type RemoteClusterSpec struct {
	// access says how the cluster is reached.
	// +required
	Access ClusterAccess `json:"access"`

	// identity is the uid of the namespace kube-system of the cluster that this has to be. Another cluster at the same address is asked for its
	// identity and for nothing else. Left out: what is found first is the identity, and status.identity has it. To use another cluster from now on,
	// write its uid here. A cluster without the namespace kube-system, such as a workspace of kcp, takes a text of your choice.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9][-A-Za-z0-9._:]*$')",reason=FieldValueInvalid,message="this cannot be an identity: write what kubectl get namespace kube-system -o jsonpath={.metadata.uid} prints there"
	Identity string `json:"identity,omitempty"`

	// allowedNamespaces selects the namespaces of this cluster whose Projections may have their source in the RemoteCluster. {} selects all. Left out:
	// none. It does not apply to ClusterProjections.
	// +optional
	AllowedNamespaces *v1.NamespaceSelector `json:"allowedNamespaces,omitempty"`

	// scope narrows what is read and written there, whatever rules ask for and the credentials permit.
	// +optional
	Scope ClusterScope `json:"scope,omitzero"`

	// impersonate makes every write, and every read of a source, in the name of a user with fewer permissions. The credentials need the permission
	// to impersonate. Watches are not impersonated.
	// +optional
	Impersonate *ClusterImpersonation `json:"impersonate,omitempty"`

	// limits bound how much is asked of the cluster at a time.
	// +optional
	Limits ClusterLimits `json:"limits,omitzero"`

	// absence says what happens if the cluster cannot be reached for long.
	// +optional
	Absence AbsencePolicy `json:"absence,omitzero"`

	// deletionPolicy says what happens to the copies there when this object is deleted. "Delete" deletes them, and waits for the cluster if it
	// cannot be reached. "Orphan" removes what marks them as copies, and leaves the objects. Defaults to Delete.
	// +optional
	// +kubebuilder:validation:Enum=Delete;Orphan
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// paused ends all writes and deletions there. Watches continue, so that the status stays true.
	// +optional
	Paused bool `json:"paused,omitempty"`
}

// DeletionPolicy says what happens to copies.
type DeletionPolicy string

// The policies.
const (
	// DeletionDelete deletes the copies.
	DeletionDelete DeletionPolicy = "Delete"
	// DeletionOrphan leaves them, and removes what marks them as copies.
	DeletionOrphan DeletionPolicy = "Orphan"
)
