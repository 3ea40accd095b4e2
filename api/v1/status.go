package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// CommonStatus is what both kinds report.
type CommonStatus struct {
	// observedGeneration is the generation of the spec that this status speaks of; -1 as long as the operator has not seen
	// the rule.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are SourceResolved, DestinationWritten and Ready; kubectl wait --for=condition=Ready waits for copies in step.
	// Stalled comes on top while somebody has to act before the rule can be ready.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// destinationName is the name that copies have: destination.name or the name of the source. It appears with the first copy,
	// and goes with the last.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	DestinationName string `json:"destinationName,omitempty"`

	// appliedFields is the hash of the set of fields that the operator owns on its
	// copies. It lets a restarted operator see without a request that they are in
	// step.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	AppliedFields string `json:"appliedFields,omitempty"`
}

// NamespaceFailure tells why a namespace lacks its copy, or has one that is out of step.
type NamespaceFailure struct {
	// namespace is the target namespace.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`

	// reason is one word from those of the condition DestinationWritten.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reason string `json:"reason"`

	// message says in a sentence what is wrong.
	// +optional
	// +kubebuilder:validation:MaxLength=32768
	Message string `json:"message,omitempty"`
}
