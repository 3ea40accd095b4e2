package primitives_test

import (
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/unstructured"
	"projection.sh/operator/primitives/unstructured/integration"
	"projection.sh/operator/primitives/unstructured/static"
	"projection.sh/operator/primitives/unstructured/task"
	"projection.sh/operator/primitives/unstructured/workload"
)

const widget = "example.com/v1/Widget/"

// untyped are the primitives of objects without a Go type, which pass the same tests as the 21 kinds.
func untyped() []kind {
	return []kind{
		kindOf(widget+"ns/name", static.NewBuilder, unstructured.NewMutator),
		kindOf(widget+"name", func(o *uns.Unstructured) *static.Builder { return static.NewBuilder(o).MarkClusterScoped() }, unstructured.NewMutator),
		kindOf(widget+"ns/name", newWorkload, unstructured.NewMutator),
		kindOf(widget+"ns/name", newIntegration, unstructured.NewMutator),
		kindOf(widget+"ns/name", newTask, unstructured.NewMutator),
	}
}

func newWorkload(o *uns.Unstructured) *workload.Builder {
	return workload.NewBuilder(o).WithCustomConvergeStatus(
		func(concepts.ConvergingOperation, *uns.Unstructured) (concepts.AliveStatusWithReason, error) {
			return concepts.AliveStatusWithReason{}, nil
		})
}

func newIntegration(o *uns.Unstructured) *integration.Builder {
	return integration.NewBuilder(o).WithCustomOperationalStatus(
		func(concepts.ConvergingOperation, *uns.Unstructured) (concepts.OperationalStatusWithReason, error) {
			return concepts.OperationalStatusWithReason{}, nil
		})
}

func newTask(o *uns.Unstructured) *task.Builder {
	return task.NewBuilder(o).WithCustomConvergeStatus(
		func(concepts.ConvergingOperation, *uns.Unstructured) (concepts.CompletionStatusWithReason, error) {
			return concepts.CompletionStatusWithReason{}, nil
		})
}
