package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// stripPodGroup drops the priority, which admission computes from the class as it does for a Pod.
func stripPodGroup(in Input) unstructured.Mutation {
	return strip(StripPodGroup, in, allocated{
		kind:   schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PodGroup"},
		fields: [][]string{{specField, "priority"}},
	})
}
