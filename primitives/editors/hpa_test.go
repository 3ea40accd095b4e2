package editors_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
)

func resourceMetric(name string) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{
		Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceName(name)},
	}
}

func containerMetric(name, container string) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{
		Type:              autoscalingv2.ContainerResourceMetricSourceType,
		ContainerResource: &autoscalingv2.ContainerResourceMetricSource{Name: corev1.ResourceName(name), Container: container},
	}
}

func podsMetric(name string, selector *metav1.LabelSelector) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{
		Type: autoscalingv2.PodsMetricSourceType,
		Pods: &autoscalingv2.PodsMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: name, Selector: selector}},
	}
}

func externalMetric(name string, selector *metav1.LabelSelector) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{
		Type:     autoscalingv2.ExternalMetricSourceType,
		External: &autoscalingv2.ExternalMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: name, Selector: selector}},
	}
}

func objectMetric(name, object string) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{
		Type: autoscalingv2.ObjectMetricSourceType,
		Object: &autoscalingv2.ObjectMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: name}, DescribedObject: autoscalingv2.CrossVersionObjectReference{Name: object},
		},
	}
}

func in(key string, values ...string) metav1.LabelSelectorRequirement {
	return metav1.LabelSelectorRequirement{Key: key, Operator: metav1.LabelSelectorOpIn, Values: values}
}

func expressions(all ...metav1.LabelSelectorRequirement) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: all}
}

func TestMetricsThatAreTheSame(t *testing.T) {
	for name, test := range map[string]struct {
		a, b autoscalingv2.MetricSpec
		same bool
	}{
		"resource":                  {resourceMetric("cpu"), resourceMetric("cpu"), true},
		"another resource":          {resourceMetric("cpu"), resourceMetric("memory"), false},
		"another type":              {podsMetric("m", nil), externalMetric("m", nil), false},
		"container":                 {containerMetric("cpu", "a"), containerMetric("cpu", "a"), true},
		"another container":         {containerMetric("cpu", "a"), containerMetric("cpu", "b"), false},
		"another resource of it":    {containerMetric("cpu", "a"), containerMetric("memory", "a"), false},
		"pods":                      {podsMetric("m", nil), podsMetric("m", nil), true},
		"another metric":            {podsMetric("m", nil), podsMetric("n", nil), false},
		"no selector and an empty":  {podsMetric("m", nil), podsMetric("m", &metav1.LabelSelector{}), false},
		"empty selectors":           {podsMetric("m", expressions()), podsMetric("m", &metav1.LabelSelector{MatchLabels: map[string]string{}}), true},
		"another external metric":   {externalMetric("m", nil), externalMetric("n", nil), false},
		"order of expressions":      {podsMetric("m", expressions(in("a", "1"), in("b", "2"))), podsMetric("m", expressions(in("b", "2"), in("a", "1"))), true},
		"order of values":           {externalMetric("m", expressions(in("a", "1", "2"))), externalMetric("m", expressions(in("a", "2", "1"))), true},
		"an expression twice":       {externalMetric("m", expressions(in("a", "1"), in("a", "1"))), externalMetric("m", expressions(in("a", "1"))), true},
		"other values":              {externalMetric("m", expressions(in("a", "1"))), externalMetric("m", expressions(in("a", "2"))), false},
		"labels":                    {externalMetric("m", &metav1.LabelSelector{MatchLabels: map[string]string{"a": "1"}}), externalMetric("m", expressions()), false},
		"object":                    {objectMetric("m", "a"), objectMetric("m", "a"), true},
		"another object":            {objectMetric("m", "a"), objectMetric("m", "b"), false},
		"another metric of it":      {objectMetric("m", "a"), objectMetric("n", "a"), false},
		"a source that is missing":  {autoscalingv2.MetricSpec{Type: autoscalingv2.PodsMetricSourceType}, autoscalingv2.MetricSpec{Type: autoscalingv2.PodsMetricSourceType}, false},
		"a type that is not known":  {autoscalingv2.MetricSpec{Type: "New"}, autoscalingv2.MetricSpec{Type: "New"}, false},
		"the source of other types": {autoscalingv2.MetricSpec{Type: autoscalingv2.PodsMetricSourceType, Resource: resourceMetric("cpu").Resource}, resourceMetric("cpu"), false},
	} {
		t.Run(name, func(t *testing.T) {
			spec := autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: []autoscalingv2.MetricSpec{test.a}}
			editors.NewHPASpecEditor(&spec).EnsureMetric(test.b)
			want := []autoscalingv2.MetricSpec{test.a, test.b}
			if test.same {
				want = want[1:]
			}
			assert.Equal(t, want, spec.Metrics)
		})
	}
}

func TestMetricsThatAreRemoved(t *testing.T) {
	missing := autoscalingv2.MetricSpec{Type: autoscalingv2.PodsMetricSourceType}
	spec := autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: []autoscalingv2.MetricSpec{
		podsMetric("m", nil), missing, podsMetric("m", expressions()), externalMetric("m", nil), podsMetric("n", nil), containerMetric("cpu", "a"),
		containerMetric("cpu", "b"), objectMetric("m", "a"), objectMetric("m", "b"), resourceMetric("cpu"),
	}}
	editor := editors.NewHPASpecEditor(&spec)
	editor.RemoveMetric(autoscalingv2.PodsMetricSourceType, "m")
	editor.RemoveMetric(autoscalingv2.PodsMetricSourceType, "")
	editor.RemoveMetric(autoscalingv2.ContainerResourceMetricSourceType, "cpu")
	editor.RemoveMetric(autoscalingv2.ObjectMetricSourceType, "m")
	assert.Equal(t, []autoscalingv2.MetricSpec{missing, externalMetric("m", nil), podsMetric("n", nil), resourceMetric("cpu")}, spec.Metrics)
}

func TestHPASpec(t *testing.T) {
	spec := autoscalingv2.HorizontalPodAutoscalerSpec{}
	editor := editors.NewHPASpecEditor(&spec)
	target := autoscalingv2.CrossVersionObjectReference{Name: "web"}
	editor.SetScaleTargetRef(target)
	editor.SetMinReplicas(new(int32(1)))
	editor.SetMaxReplicas(2)
	editor.SetBehavior(&autoscalingv2.HorizontalPodAutoscalerBehavior{})
	assert.Equal(t, autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: target, MinReplicas: new(int32(1)), MaxReplicas: 2, Behavior: &autoscalingv2.HorizontalPodAutoscalerBehavior{},
	}, spec)
	editor.SetMinReplicas(nil)
	editor.SetBehavior(nil)
	assert.Equal(t, autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: target, MaxReplicas: 2}, spec)
}
