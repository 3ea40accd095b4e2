// Package deployment is the primitive for Deployments: healthy once its pods are ready and rolled out, scaled to zero when
// suspended.
package deployment

import (
	appsv1 "k8s.io/api/apps/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a Deployment. It runs on and on.
type Resource = generic.WorkloadResource[*appsv1.Deployment, *Mutator]

var (
	_ concepts.Alive       = (*Resource)(nil)
	_ concepts.Graceful    = (*Resource)(nil)
	_ concepts.Suspendable = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder = typed.WorkloadBuilder[appsv1.Deployment, *appsv1.Deployment, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *appsv1.Deployment) *Builder {
	return typed.NewWorkloadBuilder(object, typed.Kind[*appsv1.Deployment]{Name: "apps/v1/Deployment"}, NewMutator).
		WithCustomConvergeStatus(DefaultConvergingStatusHandler).
		WithCustomGraceStatus(DefaultGraceStatusHandler).
		WithCustomSuspendStatus(DefaultSuspensionStatusHandler).
		WithCustomSuspendMutation(DefaultSuspendMutationHandler).
		WithCustomSuspendDeletionDecision(DefaultDeleteOnSuspendHandler)
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(appsv1.Deployment) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
