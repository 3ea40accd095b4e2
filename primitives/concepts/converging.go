package concepts

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// ConvergingOperation is what applying a resource did to it.
type ConvergingOperation string

// The operations.
const (
	ConvergingOperationCreated ConvergingOperation = "Created"
	ConvergingOperationUpdated ConvergingOperation = "Updated"
	ConvergingOperationNone    ConvergingOperation = "None"
)

// ConvergingOperationFromOperationResult translates the result of controllerutil.CreateOrUpdate and its relatives.
// Every kind of update is Updated; what is unknown is None.
func ConvergingOperationFromOperationResult(result controllerutil.OperationResult) ConvergingOperation {
	switch result {
	case controllerutil.OperationResultCreated:
		return ConvergingOperationCreated
	case controllerutil.OperationResultUpdated,
		controllerutil.OperationResultUpdatedStatus,
		controllerutil.OperationResultUpdatedStatusOnly:
		return ConvergingOperationUpdated
	default:
		return ConvergingOperationNone
	}
}

// Alive is a long-running resource.
type Alive interface {
	// ConvergingStatus tells how far the resource is, given what this reconcile did to it.
	ConvergingStatus(op ConvergingOperation) (AliveStatusWithReason, error)
}

// AliveConvergingStatus is the status of a long-running resource.
type AliveConvergingStatus string

// The statuses of long-running resources.
const (
	AliveConvergingStatusHealthy  AliveConvergingStatus = "Healthy"
	AliveConvergingStatusCreating AliveConvergingStatus = "Creating"
	AliveConvergingStatusUpdating AliveConvergingStatus = "Updating"
	AliveConvergingStatusScaling  AliveConvergingStatus = "Scaling"
	AliveConvergingStatusFailing  AliveConvergingStatus = "Failing"
)

// AliveStatusWithReason is a status and the sentence that explains it.
type AliveStatusWithReason struct {
	Status AliveConvergingStatus
	Reason string
}

// StaleGenerationStatus reports whether the controller of a resource has yet to see its newest spec. It returns nil when
// observedGeneration has caught up with generation; otherwise Creating after a create, and Updating after anything else.
func StaleGenerationStatus(op ConvergingOperation, observedGeneration, generation int64, resourceKind string) *AliveStatusWithReason {
	if observedGeneration >= generation {
		return nil
	}
	status := AliveConvergingStatusUpdating
	if op == ConvergingOperationCreated {
		status = AliveConvergingStatusCreating
	}
	return &AliveStatusWithReason{
		Status: status,
		Reason: fmt.Sprintf("Waiting for %s controller to observe latest spec", resourceKind),
	}
}

// Completable is a resource that runs to completion.
type Completable interface {
	// ConvergingStatus tells how far the task is, given what this reconcile did to it.
	ConvergingStatus(op ConvergingOperation) (CompletionStatusWithReason, error)
}

// CompletionStatus is the status of a task.
type CompletionStatus string

// The statuses of tasks.
const (
	CompletionStatusCompleted CompletionStatus = "Completed"
	CompletionStatusRunning   CompletionStatus = "TaskRunning"
	CompletionStatusPending   CompletionStatus = "TaskPending"
	CompletionStatusFailing   CompletionStatus = "TaskFailing"
)

// CompletionStatusWithReason is a status and the sentence that explains it.
type CompletionStatusWithReason struct {
	Status CompletionStatus
	Reason string
}

// Operational is a resource whose readiness is in the hands of another controller.
type Operational interface {
	// ConvergingStatus reports whether the resource is usable, given what this reconcile did to it.
	ConvergingStatus(op ConvergingOperation) (OperationalStatusWithReason, error)
}

// OperationalStatus is the status of an integration.
type OperationalStatus string

// The statuses of integrations.
const (
	OperationalStatusOperational OperationalStatus = "Operational"
	OperationalStatusPending     OperationalStatus = "OperationPending"
	OperationalStatusFailing     OperationalStatus = "OperationFailing"
)

// OperationalStatusWithReason is a status and the sentence that explains it.
type OperationalStatusWithReason struct {
	Status OperationalStatus
	Reason string
}
