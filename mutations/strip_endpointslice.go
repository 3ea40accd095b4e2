package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// stripEndpointSlice drops the name of the controller that manages the slice: it would rewrite or delete the copy.
func stripEndpointSlice(in Input) unstructured.Mutation {
	return strip(StripEndpointSlice, in, allocated{
		kind:        schema.GroupKind{Group: "discovery.k8s.io", Kind: "EndpointSlice"},
		labels:      []string{"endpointslice.kubernetes.io/managed-by"},
		annotations: []string{lastChange},
	})
}
