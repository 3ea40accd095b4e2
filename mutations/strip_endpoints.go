package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// lastChange is a timestamp by which the delay of a change is measured.
const lastChange = "endpoints.kubernetes.io/last-change-trigger-time"

// stripEndpoints drops the marks of the endpoints controller, which from Kubernetes 1.33 deletes what bears its label
// and has no Service.
func stripEndpoints(in Input) unstructured.Mutation {
	return strip(StripEndpoints, in, allocated{
		kind:        schema.GroupKind{Kind: "Endpoints"},
		labels:      []string{"endpoints.kubernetes.io/managed-by"},
		annotations: []string{lastChange, "endpoints.kubernetes.io/over-capacity"},
	})
}
