package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// WebApp is a web application: its configuration, the migration of its data, and its pods.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.spec.version`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].reason`
type WebApp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec WebAppSpec `json:"spec"`
	// +optional
	Status WebAppStatus `json:"status,omitzero"`
}

// WebAppList is a list of WebApps.
//
// +kubebuilder:object:root=true
type WebAppList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []WebApp `json:"items"`
}

// WebAppSpec is what a user wants.
type WebAppSpec struct {
	// version of the product, such as 2.1.0. It is the tag of the image and a part of the name of the migration, and decides what
	// the objects look like.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=32
	Version string `json:"version"`

	// image is the name of the image, without a tag.
	// +kubebuilder:validation:MinLength=1
	Image string `json:"image"`

	// replicas is how many pods there are. With autoscaling, it is ignored.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Replicas *int32 `json:"replicas,omitempty"`

	// config is what the pods find as files in /etc/webapp.
	// +optional
	Config map[string]string `json:"config,omitempty"`

	// credentialsRef names a Secret in the same namespace, whose key password the pods get.
	// +optional
	CredentialsRef *corev1.LocalObjectReference `json:"credentialsRef,omitempty"`

	// shareCredentialsWith are the namespaces that get a copy of that Secret. One that does not have the label
	// shop.example.com/accepts-credentials=true gets none.
	// +optional
	// +listType=set
	ShareCredentialsWith []string `json:"shareCredentialsWith,omitempty"`

	// autoscaling lets the number of pods follow their load.
	// +optional
	Autoscaling *Autoscaling `json:"autoscaling,omitempty"`

	// tracing adds a container that collects traces.
	// +optional
	Tracing bool `json:"tracing,omitempty"`

	// monitoring adds a ServiceMonitor, if the cluster serves that kind.
	// +optional
	Monitoring bool `json:"monitoring,omitempty"`

	// extraEnv are environment variables that replace the operator's own.
	// +optional
	ExtraEnv []corev1.EnvVar `json:"extraEnv,omitempty"`

	// suspended scales the app to zero.
	// +optional
	Suspended bool `json:"suspended,omitempty"`
}

// Autoscaling are the bounds of a HorizontalPodAutoscaler.
type Autoscaling struct {
	// +kubebuilder:validation:Minimum=1
	MinReplicas int32 `json:"minReplicas"`
	// +kubebuilder:validation:Minimum=1
	MaxReplicas int32 `json:"maxReplicas"`
	// +kubebuilder:validation:Minimum=1
	CPUPercent int32 `json:"cpuPercent"`
}

// WebAppStatus is what the operator reports.
type WebAppStatus struct {
	// observedGeneration is the generation that the operator has worked on last.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// GetStatusConditions returns the conditions, to be changed in place.
func (w *WebApp) GetStatusConditions() *[]metav1.Condition { return &w.Status.Conditions }

// GetKind returns the kind.
func (w *WebApp) GetKind() string { return "WebApp" }
