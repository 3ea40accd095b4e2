package workload_test

import (
	"fmt"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/unstructured/workload"
)

// The status of a kind of its own is in a phase.
func ExampleNewBuilder() {
	resource, err := workload.NewBuilder(&uns.Unstructured{Object: map[string]any{
		"apiVersion": "shop.example.com/v1",
		"kind":       "Cache",
		"metadata":   map[string]any{"name": "web", "namespace": "shop"},
		"status":     map[string]any{"phase": "Ready"},
	}}).WithCustomConvergeStatus(status).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resource.ConvergingStatus(concepts.ConvergingOperationNone))
	// Output: {Healthy phase is Ready} <nil>
}

func status(_ concepts.ConvergingOperation, object *uns.Unstructured) (concepts.AliveStatusWithReason, error) {
	phase, _, err := uns.NestedString(object.Object, "status", "phase")
	if phase == "Ready" {
		return concepts.AliveStatusWithReason{Status: concepts.AliveConvergingStatusHealthy, Reason: "phase is " + phase}, err
	}
	return concepts.AliveStatusWithReason{Status: concepts.AliveConvergingStatusUpdating, Reason: "phase is " + phase}, err
}
