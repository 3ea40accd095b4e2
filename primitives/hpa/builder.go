// Package hpa is the primitive for HorizontalPodAutoscalers: operational once they scale. It is deleted when suspended, since it
// would scale its target up again.
package hpa

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a HorizontalPodAutoscaler. It is made usable by a controller.
type Resource = generic.IntegrationResource[*autoscalingv2.HorizontalPodAutoscaler, *Mutator]

var (
	_ concepts.Operational = (*Resource)(nil)
	_ concepts.Graceful    = (*Resource)(nil)
	_ concepts.Suspendable = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder = typed.IntegrationBuilder[autoscalingv2.HorizontalPodAutoscaler, *autoscalingv2.HorizontalPodAutoscaler, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *autoscalingv2.HorizontalPodAutoscaler) *Builder {
	return typed.NewIntegrationBuilder(object, typed.Kind[*autoscalingv2.HorizontalPodAutoscaler]{Name: "autoscaling/v2/HorizontalPodAutoscaler"}, NewMutator).
		WithCustomOperationalStatus(DefaultOperationalStatusHandler).
		WithCustomGraceStatus(DefaultGraceStatusHandler).
		WithCustomSuspendStatus(DefaultSuspensionStatusHandler).
		WithCustomSuspendMutation(DefaultSuspendMutationHandler).
		WithCustomSuspendDeletionDecision(DefaultDeleteOnSuspendHandler)
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(autoscalingv2.HorizontalPodAutoscaler) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
