// Package pvc is the primitive for PersistentVolumeClaims: operational once they are bound. A suspension leaves it as it is.
//
// With the binding mode WaitForFirstConsumer a claim stays pending until a pod uses it: do not let the guard of that pod wait for
// the claim.
package pvc

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a PersistentVolumeClaim. It is made usable by a controller.
type Resource = generic.IntegrationResource[*corev1.PersistentVolumeClaim, *Mutator]

var (
	_ concepts.Operational = (*Resource)(nil)
	_ concepts.Graceful    = (*Resource)(nil)
	_ concepts.Suspendable = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder = typed.IntegrationBuilder[corev1.PersistentVolumeClaim, *corev1.PersistentVolumeClaim, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *corev1.PersistentVolumeClaim) *Builder {
	return typed.NewIntegrationBuilder(object, typed.Kind[*corev1.PersistentVolumeClaim]{Name: "v1/PersistentVolumeClaim"}, NewMutator).
		WithCustomOperationalStatus(DefaultOperationalStatusHandler).
		WithCustomGraceStatus(DefaultGraceStatusHandler).
		WithCustomSuspendStatus(DefaultSuspensionStatusHandler).
		WithCustomSuspendMutation(DefaultSuspendMutationHandler).
		WithCustomSuspendDeletionDecision(DefaultDeleteOnSuspendHandler)
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(corev1.PersistentVolumeClaim) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
