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

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(batchv1.CronJob) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
