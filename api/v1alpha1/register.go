package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
)

// The kinds of this API.
const (
	// KindRemoteCluster is the kind of a RemoteCluster.
	KindRemoteCluster = "RemoteCluster"
	// KindPublishedResource is the kind of a PublishedResource.
	KindPublishedResource = "PublishedResource"
)

// GroupVersion is the group and version of this API.
var GroupVersion = schema.GroupVersion{Group: v1.Domain, Version: "v1alpha1"}

var (
	// SchemeBuilder collects the kinds of this API.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)
	// AddToScheme makes a scheme know the kinds of this API.
	AddToScheme = SchemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &RemoteCluster{}, &RemoteClusterList{}, &PublishedResource{}, &PublishedResourceList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
