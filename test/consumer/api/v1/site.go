package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Site is a web site of static pages.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].reason`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].message`
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec SiteSpec `json:"spec"`
	// +optional
	Status SiteStatus `json:"status,omitzero"`
}

// SiteList is a list of Sites.
//
// +kubebuilder:object:root=true
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []Site `json:"items"`
}

// SiteSpec is what a user wants.
type SiteSpec struct {
	// image of the web server.
	// +kubebuilder:validation:MinLength=1
	Image string `json:"image"`
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Replicas int32 `json:"replicas"`
	// pages by the names of their files.
	// +optional
	Pages map[string]string `json:"pages,omitempty"`
	// suspended scales the site to zero.
	// +optional
	Suspended bool `json:"suspended,omitempty"`
}

// SiteStatus is what the operator reports.
type SiteStatus struct {
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// GetStatusConditions returns the conditions, to be changed in place.
func (s *Site) GetStatusConditions() *[]metav1.Condition { return &s.Status.Conditions }

// GetKind returns the kind.
func (s *Site) GetKind() string { return "Site" }
