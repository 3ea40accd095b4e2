package editors

import (
	"cmp"
	"reflect"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/internal/lists"
)

// measured is what a metric measures.
type measured struct {
	sourceType autoscalingv2.MetricSourceType
	name       string // of the resource or the metric
	container  string
	object     autoscalingv2.CrossVersionObjectReference
	selector   *metav1.LabelSelector
}

// measuredBy returns what a metric measures, and false if the source for its type is missing or the type is unknown.
func measuredBy(metric autoscalingv2.MetricSpec) (measured, bool) {
	what := measured{sourceType: metric.Type}
	switch {
	case metric.Type == autoscalingv2.ResourceMetricSourceType && metric.Resource != nil:
		what.name = string(metric.Resource.Name)
	case metric.Type == autoscalingv2.ContainerResourceMetricSourceType && metric.ContainerResource != nil:
		what.name, what.container = string(metric.ContainerResource.Name), metric.ContainerResource.Container
	case metric.Type == autoscalingv2.PodsMetricSourceType && metric.Pods != nil:
		what.name, what.selector = metric.Pods.Metric.Name, metric.Pods.Metric.Selector
	case metric.Type == autoscalingv2.ExternalMetricSourceType && metric.External != nil:
		what.name, what.selector = metric.External.Metric.Name, metric.External.Metric.Selector
	case metric.Type == autoscalingv2.ObjectMetricSourceType && metric.Object != nil:
		what.name, what.selector = metric.Object.Metric.Name, metric.Object.Metric.Selector
		what.object = metric.Object.DescribedObject
	default:
		return measured{}, false
	}
	return what, true
}

func (m measured) equals(other measured) bool {
	m.selector, other.selector = sorted(m.selector), sorted(other.selector)
	return reflect.DeepEqual(m, other)
}

// sorted returns the selector with its expressions and their values in order, each once. Nil stays nil.
func sorted(selector *metav1.LabelSelector) *metav1.LabelSelector {
	if selector == nil {
		return nil
	}
	ordered := &metav1.LabelSelector{}
	if len(selector.MatchLabels) > 0 {
		ordered.MatchLabels = selector.MatchLabels
	}
	for _, expression := range selector.MatchExpressions {
		values := slices.Clone(expression.Values)
		slices.Sort(values)
		expression.Values = lists.NilIfEmpty(slices.Compact(values))
		ordered.MatchExpressions = append(ordered.MatchExpressions, expression)
	}
	slices.SortFunc(ordered.MatchExpressions, compareExpressions)
	ordered.MatchExpressions = slices.CompactFunc(ordered.MatchExpressions,
		func(a, b metav1.LabelSelectorRequirement) bool { return compareExpressions(a, b) == 0 })
	return ordered
}

func compareExpressions(a, b metav1.LabelSelectorRequirement) int {
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Operator, b.Operator), slices.Compare(a.Values, b.Values))
}
