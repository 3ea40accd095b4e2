package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// stripHorizontalPodAutoscaler drops the annotations in which autoscaling/v1 shows status. Those in which it shows
// metrics and behaviour are intent.
func stripHorizontalPodAutoscaler(in Input) unstructured.Mutation {
	return strip(StripHorizontalPodAutoscaler, in, allocated{
		kind: schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"},
		annotations: []string{
			"autoscaling.alpha.kubernetes.io/conditions",
			"autoscaling.alpha.kubernetes.io/current-metrics",
		},
	})
}
