package concepts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"projection.sh/operator/primitives/concepts"
)

func TestOperationOfAnOperationResult(t *testing.T) {
	for result, want := range map[controllerutil.OperationResult]concepts.ConvergingOperation{
		controllerutil.OperationResultCreated:           concepts.ConvergingOperationCreated,
		controllerutil.OperationResultUpdated:           concepts.ConvergingOperationUpdated,
		controllerutil.OperationResultUpdatedStatus:     concepts.ConvergingOperationUpdated,
		controllerutil.OperationResultUpdatedStatusOnly: concepts.ConvergingOperationUpdated,
		controllerutil.OperationResultNone:              concepts.ConvergingOperationNone,
		"odd":                                           concepts.ConvergingOperationNone,
	} {
		assert.Equal(t, want, concepts.ConvergingOperationFromOperationResult(result), result)
	}
}

func TestStaleGenerationStatus(t *testing.T) {
	const waiting = "Waiting for deployment controller to observe latest spec"
	assert.Nil(t, concepts.StaleGenerationStatus(concepts.ConvergingOperationCreated, 2, 2, "deployment"))
	assert.Nil(t, concepts.StaleGenerationStatus(concepts.ConvergingOperationCreated, 3, 2, "deployment"))
	for op, want := range map[concepts.ConvergingOperation]concepts.AliveConvergingStatus{
		concepts.ConvergingOperationCreated: concepts.AliveConvergingStatusCreating,
		concepts.ConvergingOperationUpdated: concepts.AliveConvergingStatusUpdating,
		concepts.ConvergingOperationNone:    concepts.AliveConvergingStatusUpdating,
	} {
		assert.Equal(t, &concepts.AliveStatusWithReason{Status: want, Reason: waiting},
			concepts.StaleGenerationStatus(op, 1, 2, "deployment"))
	}
}

func TestPriorities(t *testing.T) {
	assert.Equal(t, []int{3, 2, 1, 0}, []int{
		concepts.GraceStatusDown.Priority(), concepts.GraceStatusDegraded.Priority(),
		concepts.GraceStatusHealthy.Priority(), concepts.GraceStatus("odd").Priority(),
	})
	assert.Equal(t, []int{3, 2, 1, 0}, []int{
		concepts.SuspensionStatusPending.Priority(), concepts.SuspensionStatusSuspending.Priority(),
		concepts.SuspensionStatusSuspended.Priority(), concepts.SuspensionStatus("odd").Priority(),
	})
}
