package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// stripStatefulSet drops the status that claim templates are shown with although a template has none.
func stripStatefulSet(in Input) unstructured.Mutation {
	return strip(StripStatefulSet, in, allocated{
		kind: schema.GroupKind{Group: "apps", Kind: "StatefulSet"},
		further: func(content map[string]any) {
			for _, claim := range items(child(content, "spec"), "volumeClaimTemplates") {
				delete(claim, "status")
			}
		},
	})
}
