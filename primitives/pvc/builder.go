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
