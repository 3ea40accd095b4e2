package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// CommonStatus is the part of the status that both kinds have.
type CommonStatus struct {
	// observedGeneration is the generation of the spec that this status is about; -1 until the first reconcile.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are SourceResolved, DestinationWritten and Ready; kubectl wait --for=condition=Ready waits,
	// after a change of the rule, until the copies are in sync. An edit of the source leaves Ready True while the copies are updated.
	// Stalled is present, and True, only while the rule cannot become ready without action by a user.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// destinationName is the name of the copies: destination.name, the name of the source, or what destination.nameExpression results in. It is
	// empty until the first copy was written, after the last one was deleted, and if copies have different names.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	DestinationName string `json:"destinationName,omitempty"`

	// destinationNames is the number of different names that the copies have, as destination.nameExpression results in. It is absent if they
	// have one name, which is destinationName, and if there are no copies.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DestinationNames *int32 `json:"destinationNames,omitempty"`

	// sources is the number of objects that source.selector selects and whose owners consent. It is absent if the rule names its source, and
	// until the operator has listed the sources for the first time.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Sources *int32 `json:"sources,omitempty"`

	// appliedFields are the hashes of the sets of fields that the operator owns on the copies,
	// separated by commas. Mostly there is one. With it, a restarted operator needs
	// no request to see that the copies are in sync.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	AppliedFields string `json:"appliedFields,omitempty"`
}

// ReasonCount is the number of namespaces that failed for a reason.
type ReasonCount struct {
	// reason is one of the reasons of the condition DestinationWritten.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reason string `json:"reason"`

	// count is the number of namespaces that failed for it.
	// +required
	// +kubebuilder:validation:Minimum=1
	Count int32 `json:"count"`
}

// NamespaceFailure reports why a namespace lacks its copy, or has one that is out of sync.
type NamespaceFailure struct {
	// namespace is the target namespace.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`

	// reason is one of the reasons of the condition DestinationWritten.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reason string `json:"reason"`

	// message explains the failure in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=32768
	Message string `json:"message,omitempty"`
}

// MayHaveCopies reports whether the status says that copies were written and not all deleted since.
func (s *CommonStatus) MayHaveCopies() bool {
	return s.DestinationName != "" || s.DestinationNames != nil
}
