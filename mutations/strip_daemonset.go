package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// stripDaemonSet drops the generation of the template, a counter of the API server that it shows as an annotation.
func stripDaemonSet(in Input) unstructured.Mutation {
	return strip(StripDaemonSet, in, allocated{
		kind:        schema.GroupKind{Group: "apps", Kind: "DaemonSet"},
		annotations: []string{"deprecated.daemonset.template.generation"},
	})
}
