package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// stripResourceClaim drops the marks by which the resource claim controller and the scheduler find the claims that they
// generated for a Pod. Devices are allocated in the status.
func stripResourceClaim(in Input) unstructured.Mutation {
	return strip(StripResourceClaim, in, allocated{
		kind: schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceClaim"},
		annotations: []string{
			"resource.kubernetes.io/pod-claim-name",
			"resource.kubernetes.io/extended-resource-claim",
		},
	})
}
