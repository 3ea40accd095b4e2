package corpus

import (
	"cmp"
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	v1 "projection.sh/operator/api/v1"
)

// recorded are the resources that a corpus holds.
var recorded = []struct {
	schema.GroupVersionResource
	key string // of the resource, in etcd
}{
	{schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, "namespaces/"},
	{schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, "configmaps/"},
	{schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, "secrets/"},
	{schema.GroupVersionResource{Version: "v1", Resource: "services"}, "services/specs/"},
	{schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "deployments/"},
	{schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}, "leases/"},
	{schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, "example.com/widgets/"},
	{v1.GroupVersion.WithResource("projections"), "projection.sh/projections/"},
	{v1.GroupVersion.WithResource("clusterprojections"), "projection.sh/clusterprojections/"},
}

// Namespaces are where a corpus is. Rules of the cluster come on top.
func Namespaces() []string {
	return []string{"platform", "projection-system", "tenant-a", "tenant-b", "tenant-c"}
}

// Prefixes are where etcd holds the objects of a corpus.
func Prefixes() []string {
	prefixes := []string{"projection.sh/clusterprojections/"}
	for _, resource := range recorded {
		for _, namespace := range Namespaces() {
			switch resource.Resource {
			case "clusterprojections":
			case "namespaces": // "tenant-a" must not find "tenant-ab"; there is none
				prefixes = append(prefixes, resource.key+namespace)
			default:
				prefixes = append(prefixes, resource.key+namespace+"/")
			}
		}
	}
	return prefixes
}

// Read returns the objects of the corpus's resources and namespaces, sorted, as the API server has them, but for their
// resourceVersions.
func Read(ctx context.Context, config *rest.Config) ([]*unstructured.Unstructured, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, resource := range recorded {
		list, err := client.Resource(resource.GroupVersionResource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			object := &list.Items[i]
			at := cmp.Or(object.GetNamespace(), object.GetName())
			if object.GetKind() == v1.KindClusterProjection || slices.Contains(Namespaces(), at) && !IsOfTheCluster(object) {
				object.SetResourceVersion("")
				objects = append(objects, object)
			}
		}
	}
	return objects, nil
}

// IsOfTheCluster reports whether the object has nothing to do with rules: kube-controller-manager puts one into every namespace, and the
// operator describes its installation in the other.
func IsOfTheCluster(object metav1.Object) bool {
	return object.GetName() == "kube-root-ca.crt" || object.GetName() == v1.ConfigMapInfo
}
