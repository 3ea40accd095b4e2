// Package v1alpha1 is the API projection.sh/v1alpha1: the clusters that the operator reaches besides its own, and what is offered
// to them.
//
// +kubebuilder:object:generate=true
// +groupName=projection.sh
package v1alpha1
