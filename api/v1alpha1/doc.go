// Package v1alpha1 is the API projection.sh/v1alpha1: the clusters that the operator reaches besides its own.
//
// It is not served. The package has no group for controller-gen, so that no CustomResourceDefinition is generated from it.
//
// +kubebuilder:object:generate=true
package v1alpha1
