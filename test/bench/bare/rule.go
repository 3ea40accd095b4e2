package bare

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// place is where an object is.
type place struct {
	kind schema.GroupKind
	types.NamespacedName
}

// rule is as much of a Projection or ClusterProjection as it takes to copy.
type rule struct {
	ref      string
	source   place
	copyName string
	// listed are the target namespaces, unless they are selected.
	listed   []string
	selected labels.Selector
}

func (r *rule) manager() string { return "limit/" + r.ref }

// read makes a rule of its object. Of selectors, matchLabels is all it knows.
func read(object *unstructured.Unstructured) *rule {
	at := func(path ...string) string {
		value, _, _ := unstructured.NestedString(object.Object, append([]string{"spec"}, path...)...)
		return value
	}
	r := &rule{
		ref: object.GetName(),
		source: place{
			kind:           schema.GroupKind{Group: at("source", "group"), Kind: at("source", "kind")},
			NamespacedName: types.NamespacedName{Namespace: at("source", "namespace"), Name: at("source", "name")},
		},
		copyName: at("destination", "name"),
	}
	if r.copyName == "" {
		r.copyName = r.source.Name
	}
	if object.GetKind() == v1.KindProjection {
		r.ref = fmt.Sprintf("%s/%s", object.GetNamespace(), object.GetName())
		r.listed = []string{object.GetNamespace()}
		return r
	}
	r.listed, _, _ = unstructured.NestedStringSlice(object.Object, "spec", "destination", "namespaces")
	if match, found, _ := unstructured.NestedStringMap(object.Object, "spec", "destination", "namespaceSelector", "matchLabels"); found {
		r.selected = labels.SelectorFromSet(match)
	}
	return r
}

func (r *rule) selects(namespace map[string]string) bool {
	return r.selected != nil && namespace != nil && r.selected.Matches(labels.Set(namespace))
}
