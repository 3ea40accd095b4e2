package unstructured

import (
	"strings"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// MakeIdentityFunc returns a function that names an object <group>/<version>/<kind>/<namespace>/<name>, without the
// namespace when clusterScoped. The group of the core API is empty, so its names begin with a slash.
func MakeIdentityFunc(clusterScoped bool) func(*uns.Unstructured) string {
	return func(object *uns.Unstructured) string {
		kind := object.GroupVersionKind()
		segments := []string{kind.Group, kind.Version, kind.Kind}
		if !clusterScoped {
			segments = append(segments, object.GetNamespace())
		}
		return strings.Join(append(segments, object.GetName()), "/")
	}
}
