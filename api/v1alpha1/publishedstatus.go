package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MaxPublishedFailures is the maximum number of failures in the status of a PublishedResource.
const MaxPublishedFailures = 20

// PublishedResourceStatus is the state that the operator last reported.
type PublishedResourceStatus struct {
	// observedGeneration is the generation of the spec that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// definition counts the clusters of consumers.
	// +optional
	Definition DefinitionCounts `json:"definition,omitzero"`

	// objects counts the objects of consumers.
	// +optional
	Objects ObjectCounts `json:"objects,omitzero"`

	// failures lists clusters and objects of consumers that fail, the first 20 of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Failures []PublishedFailure `json:"failures,omitempty"`

	// conditions are Accepted, DefinitionInstalled, Synced and Ready, and Stalled while somebody has to act.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// DefinitionCounts counts the clusters of consumers.
type DefinitionCounts struct {
	// consumers is the number of clusters that the kind is offered to.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Consumers int32 `json:"consumers"`

	// installed is the number of those in which it is served as it should be.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Installed int32 `json:"installed"`

	// failed is the number of those in which it is not.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Failed int32 `json:"failed"`
}

// ObjectCounts counts the objects of consumers.
type ObjectCounts struct {
	// accepted is the number of objects that are copied, or should be.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Accepted int32 `json:"accepted"`

	// inSync is the number of objects whose copy is as it should be, and whose status is that of the copy.
	// +optional
	// +kubebuilder:validation:Minimum=0
	InSync int32 `json:"inSync"`

	// failed is the number of objects that could not be copied, or whose status could not be written.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Failed int32 `json:"failed"`
}

// PublishedFailure says what is wrong with a cluster or an object of a consumer.
type PublishedFailure struct {
	// cluster is the name of the RemoteCluster of the consumer.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Cluster string `json:"cluster"`

	// namespace of the object.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// name of the object. It is absent if the failure is that of the whole cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// reason is one of the reasons of conditions of PublishedResources.
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
