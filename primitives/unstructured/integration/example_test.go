package integration_test

import (
	"fmt"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/unstructured/integration"
)

// The router sets the phase.
func ExampleNewBuilder() {
	resource, err := integration.NewBuilder(&uns.Unstructured{Object: map[string]any{
		"apiVersion": "shop.example.com/v1",
		"kind":       "Route",
		"metadata":   map[string]any{"name": "web", "namespace": "shop"},
		"status":     map[string]any{"phase": "Admitted"},
	}}).WithCustomOperationalStatus(status).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resource.ConvergingStatus(concepts.ConvergingOperationNone))
	// Output: {Operational phase is Admitted} <nil>
}

func status(_ concepts.ConvergingOperation, object *uns.Unstructured) (concepts.OperationalStatusWithReason, error) {
	phase, _, err := uns.NestedString(object.Object, "status", "phase")
	if phase == "Admitted" {
		return concepts.OperationalStatusWithReason{Status: concepts.OperationalStatusOperational, Reason: "phase is " + phase}, err
	}
	return concepts.OperationalStatusWithReason{Status: concepts.OperationalStatusPending, Reason: "phase is " + phase}, err
}
