package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kinds of this API.
const (
	KindProjection        = "Projection"
	KindClusterProjection = "ClusterProjection"
)

// GroupVersion is the group and version of this API.
var GroupVersion = schema.GroupVersion{Group: Domain, Version: "v1"}

var (
	// SchemeBuilder collects the kinds of this API.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)
	// AddToScheme makes a scheme know the kinds of this API.
	AddToScheme = SchemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Projection{}, &ProjectionList{}, &ClusterProjection{}, &ClusterProjectionList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
