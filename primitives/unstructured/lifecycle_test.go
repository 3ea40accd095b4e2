package unstructured_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/unstructured"
	"projection.sh/operator/primitives/unstructured/integration"
	"projection.sh/operator/primitives/unstructured/task"
	"projection.sh/operator/primitives/unstructured/workload"
)

func widget(namespace string) *uns.Unstructured {
	widget := &uns.Unstructured{Object: object{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": object{"name": "w"}}}
	widget.SetNamespace(namespace)
	return widget
}

// lifecycle is what workload, integration and task have in common.
type lifecycle interface {
	component.Resource
	concepts.Suspendable
	concepts.Guardable
	concepts.DataExtractable
	concepts.Previewable
	concepts.MutationInspector
	concepts.ObservationRecorder
}

// builder is what their builders have in common.
type builder[B any] interface {
	MarkClusterScoped() B
	WithMutation(ms ...unstructured.Mutation) B
	WithGuard(guard func(uns.Unstructured) (concepts.GuardStatusWithReason, error)) B
	WithDataExtractor(extractor func(uns.Unstructured) error) B
	WithCustomSuspendStatus(handler func(*uns.Unstructured) (concepts.SuspensionStatusWithReason, error)) B
	WithCustomSuspendMutation(handler func(*unstructured.Mutator) error) B
	WithCustomSuspendDeletionDecision(handler func(*uns.Unstructured) bool) B
}

func TestLifecycles(t *testing.T) {
	t.Run("workload", func(t *testing.T) {
		checkLifecycle(t, func(o *uns.Unstructured) *workload.Builder {
			return workload.NewBuilder(o).WithCustomConvergeStatus(
				func(op concepts.ConvergingOperation, _ *uns.Unstructured) (concepts.AliveStatusWithReason, error) {
					return concepts.AliveStatusWithReason{Status: concepts.AliveConvergingStatusUpdating, Reason: string(op)}, nil
				})
		}, func(b *workload.Builder) (lifecycle, error) { return b.Build() })
	})
	t.Run("integration", func(t *testing.T) {
		checkLifecycle(t, func(o *uns.Unstructured) *integration.Builder {
			return integration.NewBuilder(o).WithCustomOperationalStatus(
				func(op concepts.ConvergingOperation, _ *uns.Unstructured) (concepts.OperationalStatusWithReason, error) {
					return concepts.OperationalStatusWithReason{Status: concepts.OperationalStatusPending, Reason: string(op)}, nil
				})
		}, func(b *integration.Builder) (lifecycle, error) { return b.Build() })
	})
	t.Run("task", func(t *testing.T) {
		checkLifecycle(t, func(o *uns.Unstructured) *task.Builder {
			return task.NewBuilder(o).WithCustomConvergeStatus(
				func(op concepts.ConvergingOperation, _ *uns.Unstructured) (concepts.CompletionStatusWithReason, error) {
					return concepts.CompletionStatusWithReason{Status: concepts.CompletionStatusPending, Reason: string(op)}, nil
				})
		}, func(b *task.Builder) (lifecycle, error) { return b.Build() })
	})
}

func checkLifecycle[B builder[B]](t *testing.T, start func(*uns.Unstructured) B, build func(B) (lifecycle, error)) {
	t.Helper()
	var extracted string
	note := func(m *unstructured.Mutator) error {
		m.EditContent(func(e *editors.UnstructuredContentEditor) error { return e.SetNestedString("asleep", "state") })
		return nil
	}
	resource, err := build(start(widget("ns")).
		WithMutation(unstructured.Mutation{Name: "a", Mutate: func(*unstructured.Mutator) error { return nil }}).
		WithGuard(func(o uns.Unstructured) (concepts.GuardStatusWithReason, error) {
			return concepts.GuardStatusWithReason{Reason: o.GetName()}, nil
		}).
		WithDataExtractor(func(o uns.Unstructured) error { extracted = o.GetName(); return nil }).
		WithCustomSuspendStatus(func(*uns.Unstructured) (concepts.SuspensionStatusWithReason, error) {
			return concepts.SuspensionStatusWithReason{Reason: "custom"}, nil
		}).
		WithCustomSuspendMutation(note).
		WithCustomSuspendDeletionDecision(func(*uns.Unstructured) bool { return true }))
	require.NoError(t, err)

	assert.Equal(t, "example.com/v1/Widget/ns/w", resource.Identity())
	assert.Equal(t, []string{"a"}, resource.RegisteredMutations())
	guard, err := resource.GuardStatus()
	require.NoError(t, err)
	assert.Equal(t, "w", guard.Reason)
	require.NoError(t, resource.ExtractData())
	assert.Equal(t, "w", extracted)
	assert.True(t, resource.DeleteOnSuspend())
	status, err := resource.SuspensionStatus()
	require.NoError(t, err)
	assert.Equal(t, "custom", status.Reason)
	require.NoError(t, resource.Suspend())
	current := widget("ns")
	require.NoError(t, resource.Mutate(current))
	assert.Equal(t, "asleep", current.Object["state"])

	clusterScoped, err := build(start(widget("")).MarkClusterScoped())
	require.NoError(t, err)
	assert.Equal(t, "example.com/v1/Widget/w", clusterScoped.Identity())
	_, err = build(start(nil))
	require.EqualError(t, err, "object cannot be nil")
	_, err = build(start(widget("")))
	require.EqualError(t, err, "object namespace cannot be empty")
}

func TestStatusHandlersAreRequired(t *testing.T) {
	_, err := workload.NewBuilder(widget("ns")).Build()
	require.EqualError(t, err, "converging status handler is required")
	_, err = task.NewBuilder(widget("ns")).Build()
	require.EqualError(t, err, "converging status handler is required")
	_, err = integration.NewBuilder(widget("ns")).Build()
	require.EqualError(t, err, "operational status handler is required")
}

func TestGraceStatus(t *testing.T) {
	down := func(*uns.Unstructured) (concepts.GraceStatusWithReason, error) {
		return concepts.GraceStatusWithReason{Status: concepts.GraceStatusDown}, nil
	}
	alive := func(concepts.ConvergingOperation, *uns.Unstructured) (concepts.AliveStatusWithReason, error) {
		return concepts.AliveStatusWithReason{Reason: "alive"}, nil
	}
	operational := func(concepts.ConvergingOperation, *uns.Unstructured) (concepts.OperationalStatusWithReason, error) {
		return concepts.OperationalStatusWithReason{Reason: "operational"}, nil
	}
	running, err := workload.NewBuilder(widget("ns")).WithCustomConvergeStatus(alive).WithCustomGraceStatus(down).Build()
	require.NoError(t, err)
	connected, err := integration.NewBuilder(widget("ns")).WithCustomOperationalStatus(operational).WithCustomGraceStatus(down).Build()
	require.NoError(t, err)
	for _, resource := range []concepts.Graceful{running, connected} {
		grace, err := resource.GraceStatus()
		require.NoError(t, err)
		assert.Equal(t, concepts.GraceStatusDown, grace.Status)
	}
	aliveStatus, err := running.ConvergingStatus(concepts.ConvergingOperationNone)
	require.NoError(t, err)
	assert.Equal(t, "alive", aliveStatus.Reason)
	operationalStatus, err := connected.ConvergingStatus(concepts.ConvergingOperationNone)
	require.NoError(t, err)
	assert.Equal(t, "operational", operationalStatus.Reason)
}
