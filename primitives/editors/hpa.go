package editors

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"projection.sh/operator/primitives/internal/lists"
)

// HPASpecEditor edits the spec of a HorizontalPodAutoscaler.
type HPASpecEditor struct {
	wrapper[autoscalingv2.HorizontalPodAutoscalerSpec]
}

var _ RawEditor[autoscalingv2.HorizontalPodAutoscalerSpec] = (*HPASpecEditor)(nil)

// NewHPASpecEditor returns an editor of spec.
func NewHPASpecEditor(spec *autoscalingv2.HorizontalPodAutoscalerSpec) *HPASpecEditor {
	return &HPASpecEditor{wrapper[autoscalingv2.HorizontalPodAutoscalerSpec]{spec}}
}

// SetScaleTargetRef sets what is scaled.
func (e *HPASpecEditor) SetScaleTargetRef(target autoscalingv2.CrossVersionObjectReference) {
	e.raw.ScaleTargetRef = target
}

// SetMinReplicas sets the lower bound.
func (e *HPASpecEditor) SetMinReplicas(replicas *int32) { e.raw.MinReplicas = lists.Clone(replicas) }

// SetMaxReplicas sets the upper bound.
func (e *HPASpecEditor) SetMaxReplicas(replicas int32) { e.raw.MaxReplicas = replicas }

// SetBehavior sets how fast the target is scaled.
func (e *HPASpecEditor) SetBehavior(behavior *autoscalingv2.HorizontalPodAutoscalerBehavior) {
	e.raw.Behavior = behavior.DeepCopy()
}

// EnsureMetric adds a metric, by its type and what it measures: a resource by its name, that of a container by both
// names, metrics of pods and external ones by name and selector, those of an object by the object as well. The order of
// the expressions of a selector, and of their values, does not matter. A metric without the source of its type is
// appended.
func (e *HPASpecEditor) EnsureMetric(metric autoscalingv2.MetricSpec) {
	want, known := measuredBy(metric)
	lists.Ensure(&e.raw.Metrics, *metric.DeepCopy(), func(other autoscalingv2.MetricSpec) bool {
		got, found := measuredBy(other)
		return known && found && got.equals(want)
	})
}

// RemoveMetric removes every metric of that type whose resource or metric has that name, whatever its selector, object or
// container.
func (e *HPASpecEditor) RemoveMetric(sourceType autoscalingv2.MetricSourceType, name string) {
	lists.Remove(&e.raw.Metrics, func(metric autoscalingv2.MetricSpec) bool {
		got, found := measuredBy(metric)
		return found && got.sourceType == sourceType && got.name == name
	})
}
