package generic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
)

var defaultGrace = concepts.GraceStatusWithReason{Status: concepts.GraceStatusHealthy, Reason: "default grace status"}

func TestWorkload(t *testing.T) {
	resource, err := generic.NewWorkloadBuilder(baseline(), identity, newMutator).
		WithMutation(says("a")).
		WithCustomConvergeStatus(func(op concepts.ConvergingOperation, o *corev1.ConfigMap) (concepts.AliveStatusWithReason, error) {
			return concepts.AliveStatusWithReason{Status: concepts.AliveConvergingStatusScaling, Reason: o.Name + " " + string(op)}, errBoom
		}).Build()
	require.NoError(t, err)

	status, err := resource.ConvergingStatus(concepts.ConvergingOperationCreated)
	require.ErrorIs(t, err, errBoom)
	assert.Equal(t, concepts.AliveStatusWithReason{Status: concepts.AliveConvergingStatusScaling, Reason: "one Created"}, status)
	grace, err := resource.GraceStatus()
	require.NoError(t, err)
	assert.Equal(t, defaultGrace, grace)

	resource.ConvergingStatusHandler, resource.GraceStatusHandler = nil, nil
	_, err = resource.ConvergingStatus(concepts.ConvergingOperationNone)
	require.EqualError(t, err, "converging status handler is not configured")
	_, err = resource.GraceStatus()
	require.EqualError(t, err, "grace status handler is not configured")
}

func TestTask(t *testing.T) {
	resource, err := generic.NewTaskBuilder(baseline(), identity, newMutator).
		WithCustomConvergeStatus(func(op concepts.ConvergingOperation, o *corev1.ConfigMap) (concepts.CompletionStatusWithReason, error) {
			return concepts.CompletionStatusWithReason{Status: concepts.CompletionStatusRunning, Reason: o.Name + " " + string(op)}, errBoom
		}).Build()
	require.NoError(t, err)

	status, err := resource.ConvergingStatus(concepts.ConvergingOperationUpdated)
	require.ErrorIs(t, err, errBoom)
	assert.Equal(t, concepts.CompletionStatusWithReason{Status: concepts.CompletionStatusRunning, Reason: "one Updated"}, status)
	_, graceful := any(resource).(concepts.Graceful)
	assert.False(t, graceful)

	resource.ConvergingStatusHandler = nil
	_, err = resource.ConvergingStatus(concepts.ConvergingOperationNone)
	require.EqualError(t, err, "converging status handler is not configured")
}

func TestIntegration(t *testing.T) {
	degraded := concepts.GraceStatusWithReason{Status: concepts.GraceStatusDegraded}
	builder := generic.NewIntegrationBuilder(baseline(), identity, newMutator).
		WithCustomOperationalStatus(func(op concepts.ConvergingOperation, o *corev1.ConfigMap) (concepts.OperationalStatusWithReason, error) {
			return concepts.OperationalStatusWithReason{Status: concepts.OperationalStatusPending, Reason: o.Name + " " + string(op)}, errBoom
		})
	plain, err := builder.Build()
	require.NoError(t, err)
	grace, err := plain.GraceStatus()
	require.NoError(t, err)
	assert.Equal(t, defaultGrace, grace)

	resource, err := builder.WithCustomGraceStatus(func(*corev1.ConfigMap) (concepts.GraceStatusWithReason, error) {
		return degraded, nil
	}).Build()
	require.NoError(t, err)
	status, err := resource.ConvergingStatus(concepts.ConvergingOperationNone)
	require.ErrorIs(t, err, errBoom)
	assert.Equal(t, concepts.OperationalStatusWithReason{Status: concepts.OperationalStatusPending, Reason: "one None"}, status)
	grace, err = resource.GraceStatus()
	require.NoError(t, err)
	assert.Equal(t, degraded, grace)

	resource.OperationalStatusHandler = nil
	_, err = resource.ConvergingStatus(concepts.ConvergingOperationNone)
	require.EqualError(t, err, "operational status handler is not configured")
}

func TestWorkloadCanReplaceItsGraceStatus(t *testing.T) {
	resource, err := generic.NewWorkloadBuilder(baseline(), identity, newMutator).
		WithCustomConvergeStatus(func(concepts.ConvergingOperation, *corev1.ConfigMap) (concepts.AliveStatusWithReason, error) {
			return concepts.AliveStatusWithReason{}, nil
		}).
		WithCustomGraceStatus(func(*corev1.ConfigMap) (concepts.GraceStatusWithReason, error) {
			return concepts.GraceStatusWithReason{Status: concepts.GraceStatusDown}, nil
		}).Build()
	require.NoError(t, err)
	grace, err := resource.GraceStatus()
	require.NoError(t, err)
	assert.Equal(t, concepts.GraceStatusDown, grace.Status)
}
