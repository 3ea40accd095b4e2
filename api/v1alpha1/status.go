package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RemoteClusterStatus is the state that the operator last reported.
type RemoteClusterStatus struct {
	// observedGeneration is the generation of the spec that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// identity is the uid of the namespace kube-system there. It does not change unless spec.identity says so.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][-A-Za-z0-9._:]*$`
	Identity string `json:"identity,omitempty"`

	// version is that of the API server there.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Version string `json:"version,omitempty"`

	// rules is the number of rules that copy from or to it.
	// +optional
	Rules int32 `json:"rules,omitempty"`

	// copies is the number of copies there, when it was last reached.
	// +optional
	Copies int32 `json:"copies,omitempty"`

	// orphans is the number of objects there that say that they are copies of a rule of this hub that does not exist. They are never deleted on
	// their account.
	// +optional
	Orphans int32 `json:"orphans,omitempty"`

	// credentialsExpire is when the first of the credentials ends, if they say so.
	// +optional
	CredentialsExpire *metav1.Time `json:"credentialsExpire,omitempty"`

	// owed lists rules that no longer wait for the cluster, and have copies there.
	// +optional
	// +listType=map
	// +listMapKey=uid
	// +kubebuilder:validation:MaxItems=256
	Owed []OwedCopies `json:"owed,omitempty"`

	// conditions are Accepted, Connected, Permitted, Fenced and Ready.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// OwedCopies are what a rule that was deleted has left in a cluster that could not be reached.
type OwedCopies struct {
	// uid is that of the rule.
	// +required
	// +kubebuilder:validation:MaxLength=63
	UID string `json:"uid"`

	// identity is the uid of the namespace kube-system of the cluster that they are in. Another cluster that the RemoteCluster stands for later has none
	// of them. Left out: it is the present one.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Identity string `json:"identity,omitempty"`

	// rule is its kind and name, like "ClusterProjection/registry".
	// +required
	// +kubebuilder:validation:MaxLength=400
	Rule string `json:"rule"`

	// kinds are those of its copies, like "Secret" or "Certificate.cert-manager.io".
	// +required
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=317
	Kinds []string `json:"kinds"`
}
