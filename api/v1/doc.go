// Package v1 is the API projection.sh/v1: rules that copy a namespaced object into other namespaces and keep the copies in sync.
//
// A Projection copies into its own namespace, a ClusterProjection into many. The package also names every label, annotation,
// finalizer, condition and reason that users see. It depends on k8s.io/apimachinery alone, so importing it costs little.
//
// +kubebuilder:object:generate=true
// +groupName=projection.sh
package v1
