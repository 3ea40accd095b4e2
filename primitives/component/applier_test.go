package component_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

func (w *world) reconcileWith(applier component.Applier, configure func(*component.Builder)) (component.Convergence, error) {
	w.Helper()
	rec := w.context()
	rec.Applier = applier
	part := w.build(configure)
	result, err := part.Converge(w.Context(), rec)
	part.Stage(w.owner, result, err)
	return result, err
}

func TestApplierGetsTheDesiredObjectAndNothingIsRead(t *testing.T) {
	w := newWorld(t)
	w.intercept(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			t.Error("a read")
			return nil
		},
	})
	resource := w.stub("one", "key", "value")
	resource.object.SetResourceVersion("1")
	var requests []component.ApplyRequest
	applier := component.ApplierFunc(func(_ context.Context, req component.ApplyRequest) (concepts.ConvergingOperation, error) {
		requests = append(requests, req)
		return concepts.ConvergingOperationUpdated, nil
	})

	result, err := w.reconcileWith(applier, func(b *component.Builder) { b.WithResource(resource).WithFieldManager("me") })

	require.NoError(t, err)
	require.Len(t, requests, 1)
	assert.Equal(t, "me", requests[0].FieldOwner)
	assert.Equal(t, resource.Identity(), requests[0].Identity)
	assert.Same(t, resource.applied, requests[0].Desired, "the resource sees what the applier decodes")
	desired := requests[0].Desired.(*corev1.ConfigMap)
	assert.Equal(t, corev1.SchemeGroupVersion.WithKind("ConfigMap"), desired.GroupVersionKind())
	assert.Empty(t, desired.ResourceVersion)
	assert.NotNil(t, metav1.GetControllerOf(desired))
	assert.Equal(t, concepts.ConvergingOperationUpdated, result.Resources[0].Operation)
	assert.Equal(t, []string{"Normal UpdatedConfigMap Updated ConfigMap 'one'"}, w.recorded())
}

func TestBlockedErrorOfTheApplierEndsTheLoopWithoutAnError(t *testing.T) {
	w := newWorld(t)
	calls := 0
	applier := component.ApplierFunc(func(context.Context, component.ApplyRequest) (concepts.ConvergingOperation, error) {
		if calls++; calls == 2 {
			return concepts.ConvergingOperationNone, fmt.Errorf("apply: %w", &component.BlockedError{Reason: "somebody else's"})
		}
		return concepts.ConvergingOperationCreated, nil
	})
	two := w.stub("two")

	result, err := w.reconcileWith(applier, func(b *component.Builder) {
		b.WithResource(w.stub("one")).WithResource(two).WithResource(w.stub("three"))
	})

	require.NoError(t, err)
	assert.Equal(t, 2, calls, "the third is left alone")
	blocked, ok := result.Blocked()
	require.True(t, ok)
	assert.Equal(t, two.Identity(), blocked.Identity)
	assert.Equal(t, "somebody else's", blocked.Reason)
	assert.Equal(t, concepts.ConvergingOperationNone, blocked.Operation)
	first, ok := result.Resource(w.stub("one").Identity())
	require.True(t, ok)
	assert.False(t, first.Blocked())
	_, ok = result.Resource(w.stub("three").Identity())
	assert.False(t, ok)
	w.requireCondition(metav1.ConditionFalse, component.GuardBlocked, "somebody else's")
}

func TestBlockedErrorOfAnythingElseIsAnError(t *testing.T) {
	w := newWorld(t)
	resource := w.stub("one")
	resource.mutate = func(client.Object) error { return &component.BlockedError{Reason: "no result"} }
	require.Error(t, w.reconcile(func(b *component.Builder) { b.WithResource(resource) }))
	assert.Equal(t, string(component.Error), w.condition().Reason)
}

func TestErrorOfTheApplierIsWrapped(t *testing.T) {
	w := newWorld(t)
	boom := errors.New("boom")
	applier := component.ApplierFunc(func(context.Context, component.ApplyRequest) (concepts.ConvergingOperation, error) {
		return concepts.ConvergingOperationNone, boom
	})
	resource := w.stub("one")
	_, err := w.reconcileWith(applier, func(b *component.Builder) { b.WithResource(resource) })
	require.ErrorIs(t, err, boom)
	require.EqualError(t, err, "failed to apply resource "+resource.Identity()+": boom")
}

func TestComponentsOfOneOwnerConvergeAtTheSameTime(t *testing.T) {
	w := newWorld(t)
	type outcome struct {
		part   *component.Component
		result component.Convergence
		err    error
	}
	outcomes := make(chan outcome)
	for i := range 8 {
		name := fmt.Sprintf("part-%d", i)
		part, err := component.NewComponentBuilder().WithName(name).WithConditionType(component.ConditionType(name)).
			WithPrerequisite(met{}).WithResource(w.stub(name)).Build()
		require.NoError(t, err)
		go func() {
			result, err := part.Converge(t.Context(), w.context())
			outcomes <- outcome{part, result, err}
		}()
	}
	before := w.owner.DeepCopyObject()
	var converged []outcome
	for range 8 {
		converged = append(converged, <-outcomes)
	}
	assert.Equal(t, before, w.owner, "converging leaves the owner alone")
	for _, c := range converged {
		require.NoError(t, c.err)
		c.part.Stage(w.owner, c.result, c.err)
	}
	assert.Len(t, w.owner.Status.Conditions, 8)
}

// met is a prerequisite that looks at the owner and is met.
type met struct{}

func (met) Check(rec component.ReconcileContext) (component.PrerequisiteResult, error) {
	_ = len(*rec.Owner.GetStatusConditions())
	return component.PrerequisiteResult{Status: component.PrerequisiteStatusMet}, nil
}

func TestWhatTheApplierReportsIsInTheResult(t *testing.T) {
	tests := map[string]struct {
		err error
	}{
		"applied": {nil},
		"blocked": {fmt.Errorf("wrapped: %w", &component.BlockedError{Reason: "wait"})},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			applier := component.ApplierFunc(func(_ context.Context, req component.ApplyRequest) (concepts.ConvergingOperation, error) {
				req.Report("first")
				req.Report("second")
				return concepts.ConvergingOperationUpdated, test.err
			})
			result, err := w.reconcileWith(applier, func(b *component.Builder) { b.WithResource(w.stub("one", "key", "value")) })
			require.NoError(t, err)
			assert.Equal(t, "second", result.Resources[0].Detail)
			assert.Equal(t, test.err != nil, result.Resources[0].Blocked())
		})
	}
}

func TestWhatTheApplierReportsOnSuspensionIsInTheResult(t *testing.T) {
	w := newWorld(t)
	applier := component.ApplierFunc(func(_ context.Context, req component.ApplyRequest) (concepts.ConvergingOperation, error) {
		req.Report("detail")
		return concepts.ConvergingOperationUpdated, nil
	})
	result, err := w.reconcileWith(applier, func(b *component.Builder) {
		b.Suspend(true).WithResource(w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, ""))
	})
	require.NoError(t, err)
	require.Len(t, result.Resources, 1)
	assert.Equal(t, "detail", result.Resources[0].Detail)
}
