package job

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/internal/health"
)

// DefaultConvergingStatusHandler tells how far a Job is: complete, failed, running, or waiting for pods.
func DefaultConvergingStatusHandler(op concepts.ConvergingOperation, object *batchv1.Job) (concepts.CompletionStatusWithReason, error) {
	for _, condition := range object.Status.Conditions {
		switch {
		case condition.Status != corev1.ConditionTrue:
		case condition.Type == batchv1.JobComplete:
			return completion(concepts.CompletionStatusCompleted, "Job completed successfully")
		case condition.Type == batchv1.JobFailed && condition.Message == "":
			return completion(concepts.CompletionStatusFailing, "Job failed")
		case condition.Type == batchv1.JobFailed:
			return completion(concepts.CompletionStatusFailing, "Job failed: "+condition.Message)
		}
	}
	switch {
	case object.Status.Active > 0:
		return completion(concepts.CompletionStatusRunning, fmt.Sprintf("Job has %d active pod(s)", object.Status.Active))
	case op == concepts.ConvergingOperationCreated:
		return completion(concepts.CompletionStatusPending, "Job was just created, waiting for pods to be scheduled")
	default:
		return completion(concepts.CompletionStatusPending, "Job is waiting for pods to be scheduled")
	}
}

func completion(status concepts.CompletionStatus, reason string) (concepts.CompletionStatusWithReason, error) {
	return concepts.CompletionStatusWithReason{Status: status, Reason: reason}, nil
}

// DefaultSuspendMutationHandler stops the Job from starting pods, and ends those that run.
func DefaultSuspendMutationHandler(m *Mutator) error {
	m.spec.RecordCall(func(e *editors.JobSpecEditor) { e.Raw().Suspend = new(true) })
	return nil
}

// DefaultSuspensionStatusHandler tells whether the pods are gone.
func DefaultSuspensionStatusHandler(object *batchv1.Job) (concepts.SuspensionStatusWithReason, error) {
	switch {
	case !ptr.Deref(object.Spec.Suspend, false):
		return health.Suspending("Waiting for Job suspend field to be applied")
	case object.Status.Active > 0:
		return health.Suspending(fmt.Sprintf("Job is suspending, %d pod(s) still active", object.Status.Active))
	default:
		return health.Suspended("Job is suspended")
	}
}

// DefaultDeleteOnSuspendHandler reports that a Job is deleted when it is suspended, even a finished one. Resuming runs it again.
func DefaultDeleteOnSuspendHandler(*batchv1.Job) bool { return true }
