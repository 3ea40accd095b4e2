package mutations

import "projection.sh/operator/primitives/unstructured"

// stripStatefulSet drops the status that claim templates are shown with although a template has none.
func stripStatefulSet(in Input) unstructured.Mutation {
	return strip(StripStatefulSet, in, allocated{
		kind: appsKind("StatefulSet"),
		further: func(content map[string]any) {
			for _, claim := range items(child(content, specField), "volumeClaimTemplates") {
				delete(claim, "status")
			}
		},
	})
}
