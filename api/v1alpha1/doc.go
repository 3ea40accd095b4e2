// Package v1alpha1 is the API projection.sh/v1alpha1: the clusters that the operator reaches besides its own.
//
// It is not served: the last line of this comment keeps controller-gen from writing a CustomResourceDefinition.
//
// +kubebuilder:object:generate=true
// +groupName=projection.sh
// +kubebuilder:skip
package v1alpha1
