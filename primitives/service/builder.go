// Package service is the primitive for Services: operational as soon as it exists, those of type LoadBalancer once they have an
// address. A suspension leaves it as it is.
package service

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a Service. It is made usable by a controller.
type Resource = generic.IntegrationResource[*corev1.Service, *Mutator]

var (
	_ concepts.Operational = (*Resource)(nil)
	_ concepts.Graceful    = (*Resource)(nil)
	_ concepts.Suspendable = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder = typed.IntegrationBuilder[corev1.Service, *corev1.Service, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *corev1.Service) *Builder {
	return typed.NewIntegrationBuilder(object, typed.Kind[*corev1.Service]{Name: "v1/Service"}, NewMutator).
		WithCustomOperationalStatus(DefaultOperationalStatusHandler).
		WithCustomGraceStatus(DefaultGraceStatusHandler).
		WithCustomSuspendStatus(DefaultSuspensionStatusHandler).
		WithCustomSuspendMutation(DefaultSuspendMutationHandler).
		WithCustomSuspendDeletionDecision(DefaultDeleteOnSuspendHandler)
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(corev1.Service) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
