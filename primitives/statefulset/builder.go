// Package statefulset is the primitive for StatefulSets: healthy once its pods are ready and rolled out, scaled to zero
// when suspended.
package statefulset

import (
	appsv1 "k8s.io/api/apps/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a StatefulSet. It runs on and on.
type Resource = generic.WorkloadResource[*appsv1.StatefulSet, *Mutator]

var (
	_ concepts.Alive       = (*Resource)(nil)
	_ concepts.Graceful    = (*Resource)(nil)
	_ concepts.Suspendable = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder = typed.WorkloadBuilder[appsv1.StatefulSet, *appsv1.StatefulSet, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *appsv1.StatefulSet) *Builder {
	return typed.NewWorkloadBuilder(object, typed.Kind[*appsv1.StatefulSet]{Name: "apps/v1/StatefulSet"}, NewMutator).
		WithCustomConvergeStatus(DefaultConvergingStatusHandler).
		WithCustomGraceStatus(DefaultGraceStatusHandler).
		WithCustomSuspendStatus(DefaultSuspensionStatusHandler).
		WithCustomSuspendMutation(DefaultSuspendMutationHandler).
		WithCustomSuspendDeletionDecision(DefaultDeleteOnSuspendHandler)
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(appsv1.StatefulSet) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
