package cronjob

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/internal/health"
)

var verdict = health.Usable("CronJob is a passive scheduler and is considered operational once it exists").
	ByGrace("CronJob is a passive scheduler and is considered healthy once it exists")

// DefaultOperationalStatusHandler reports that a CronJob is operational as soon as it exists.
func DefaultOperationalStatusHandler(concepts.ConvergingOperation, *batchv1.CronJob) (concepts.OperationalStatusWithReason, error) {
	return verdict.Operational()
}

// DefaultGraceStatusHandler is Healthy.
func DefaultGraceStatusHandler(*batchv1.CronJob) (concepts.GraceStatusWithReason, error) {
	return verdict.Grace()
}

// DefaultSuspendMutationHandler stops the schedule. Jobs that run go on.
func DefaultSuspendMutationHandler(m *Mutator) error {
	m.spec.RecordCall(func(e *editors.CronJobSpecEditor) { e.Raw().Suspend = new(true) })
	return nil
}

// DefaultSuspensionStatusHandler tells whether the jobs that ran have ended.
func DefaultSuspensionStatusHandler(object *batchv1.CronJob) (concepts.SuspensionStatusWithReason, error) {
	switch active := len(object.Status.Active); {
	case !ptr.Deref(object.Spec.Suspend, false):
		return health.Suspending("Waiting for suspend flag to be applied")
	case active > 0:
		return health.Suspending(fmt.Sprintf("CronJob suspended but %d active jobs still running", active))
	default:
		return health.Suspended("CronJob suspended")
	}
}

// DefaultDeleteOnSuspendHandler reports that a CronJob is not deleted when it is suspended.
func DefaultDeleteOnSuspendHandler(*batchv1.CronJob) bool { return false }
