package editors_test

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"projection.sh/operator/primitives/editors"
)

// selectingEdits are keyed edits of what has more than a name, and of what other objects are selected by.
func selectingEdits() map[string]keyed {
	from := func(name, value string) corev1.EnvFromSource {
		reference := corev1.LocalObjectReference{Name: name}
		return corev1.EnvFromSource{Prefix: value, SecretRef: &corev1.SecretEnvSource{LocalObjectReference: reference}}
	}
	return map[string]keyed{
		"annotation": {
			func(o *edited, name, value string) {
				editors.NewObjectMetaEditor(&o.Meta).EnsureAnnotation(name, value)
			},
			func(o *edited, name, _ string) { editors.NewObjectMetaEditor(&o.Meta).RemoveAnnotation(name) },
		},
		"env from": {
			func(o *edited, name, value string) {
				editors.NewContainerEditor(&o.Container).EnsureEnvFrom(from(name, value))
			},
			func(o *edited, name, value string) {
				editors.NewContainerEditor(&o.Container).RemoveEnvFrom(from(name, value))
			},
		},
		"toleration": {
			func(o *edited, name, value string) {
				editors.NewPodSpecEditor(&o.Pod).EnsureToleration(corev1.Toleration{Key: name, Value: value})
			},
			func(o *edited, name, value string) {
				editors.NewPodSpecEditor(&o.Pod).RemoveTolerations(func(other corev1.Toleration) bool {
					return other == corev1.Toleration{Key: name, Value: value}
				})
			},
		},
		"spread": {
			func(o *edited, name, value string) {
				editors.NewPodSpecEditor(&o.Pod).EnsureTopologySpreadConstraint(corev1.TopologySpreadConstraint{
					TopologyKey: name, WhenUnsatisfiable: corev1.UnsatisfiableConstraintAction(value),
				})
			},
			func(o *edited, name, _ string) {
				editors.NewPodSpecEditor(&o.Pod).RemoveTopologySpreadConstraint(name)
			},
		},
		"selector": {
			func(o *edited, name, value string) {
				editors.NewServiceSpecEditor(&o.Service).EnsureSelector(name, value)
			},
			func(o *edited, name, _ string) { editors.NewServiceSpecEditor(&o.Service).RemoveSelector(name) },
		},
		"metric": {
			func(o *edited, name, _ string) {
				editors.NewHPASpecEditor(&o.HPA).EnsureMetric(autoscalingv2.MetricSpec{
					Type:     autoscalingv2.ResourceMetricSourceType,
					Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceName(name)},
				})
			},
			func(o *edited, name, _ string) {
				editors.NewHPASpecEditor(&o.HPA).RemoveMetric(autoscalingv2.ResourceMetricSourceType, name)
			},
		},
		"binary entry": {
			func(o *edited, name, value string) {
				editors.NewConfigMapDataEditor(nil, &o.ConfigMap.BinaryData).SetBinary(name, []byte(value))
			},
			func(o *edited, name, _ string) {
				editors.NewConfigMapDataEditor(nil, &o.ConfigMap.BinaryData).RemoveBinary(name)
			},
		},
		"string entry": {
			func(o *edited, name, value string) {
				editors.NewSecretDataEditor(nil, &o.Secret.StringData).SetString(name, value)
			},
			func(o *edited, name, _ string) {
				editors.NewSecretDataEditor(nil, &o.Secret.StringData).RemoveString(name)
			},
		},
		"group": {
			func(o *edited, name, value string) {
				editors.NewBindingSubjectsEditor(&o.Subjects).EnsureSubject(rbacv1.Subject{Kind: "Group", Name: name, Namespace: value})
			},
			func(o *edited, name, value string) {
				editors.NewBindingSubjectsEditor(&o.Subjects).RemoveSubject("Group", name, value)
			},
		},
	}
}
