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
