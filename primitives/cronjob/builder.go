// Package cronjob is the primitive for CronJobs: operational as soon as it exists; its schedule stops when suspended.
package cronjob

import (
	batchv1 "k8s.io/api/batch/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a CronJob. It is made usable by a controller.
type Resource = generic.IntegrationResource[*batchv1.CronJob, *Mutator]

var (
	_ concepts.Operational = (*Resource)(nil)
	_ concepts.Graceful    = (*Resource)(nil)
	_ concepts.Suspendable = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder = typed.IntegrationBuilder[batchv1.CronJob, *batchv1.CronJob, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *batchv1.CronJob) *Builder {
	return typed.NewIntegrationBuilder(object, typed.Kind[*batchv1.CronJob]{Name: "batch/v1/CronJob"}, NewMutator).
		WithCustomOperationalStatus(DefaultOperationalStatusHandler).
		WithCustomGraceStatus(DefaultGraceStatusHandler).
		WithCustomSuspendStatus(DefaultSuspensionStatusHandler).
		WithCustomSuspendMutation(DefaultSuspendMutationHandler).
		WithCustomSuspendDeletionDecision(DefaultDeleteOnSuspendHandler)
}
