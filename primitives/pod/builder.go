// Package pod is the primitive for Pods: healthy once all containers are ready, or the pod has succeeded; deleted when suspended.
// Most of a pod cannot be changed: a mutation that changes it on a pod that exists is refused by the API server.
package pod

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a Pod. It runs on and on.
type Resource = generic.WorkloadResource[*corev1.Pod, *Mutator]

var (
	_ concepts.Alive       = (*Resource)(nil)
	_ concepts.Graceful    = (*Resource)(nil)
	_ concepts.Suspendable = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder = typed.WorkloadBuilder[corev1.Pod, *corev1.Pod, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *corev1.Pod) *Builder {
	return typed.NewWorkloadBuilder(object, typed.Kind[*corev1.Pod]{Name: "v1/Pod"}, NewMutator).
		WithCustomConvergeStatus(DefaultConvergingStatusHandler).
		WithCustomGraceStatus(DefaultGraceStatusHandler).
		WithCustomSuspendStatus(DefaultSuspensionStatusHandler).
		WithCustomSuspendMutation(DefaultSuspendMutationHandler).
		WithCustomSuspendDeletionDecision(DefaultDeleteOnSuspendHandler)
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(corev1.Pod) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
