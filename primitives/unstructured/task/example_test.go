package task_test

import (
	"fmt"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/unstructured/task"
)

// A backup is completed when its phase says so.
func ExampleNewBuilder() {
	resource, err := task.NewBuilder(&uns.Unstructured{Object: map[string]any{
		"apiVersion": "shop.example.com/v1",
		"kind":       "Backup",
		"metadata":   map[string]any{"name": "web", "namespace": "shop"},
		"status":     map[string]any{"phase": "Done"},
	}}).WithCustomConvergeStatus(status).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resource.ConvergingStatus(concepts.ConvergingOperationNone))
	// Output: {Completed phase is Done} <nil>
}

func status(_ concepts.ConvergingOperation, object *uns.Unstructured) (concepts.CompletionStatusWithReason, error) {
	phase, _, err := uns.NestedString(object.Object, "status", "phase")
	if phase == "Done" {
		return concepts.CompletionStatusWithReason{Status: concepts.CompletionStatusCompleted, Reason: "phase is " + phase}, err
	}
	return concepts.CompletionStatusWithReason{Status: concepts.CompletionStatusRunning, Reason: "phase is " + phase}, err
}
