package editors_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/editors"
)

func editPod(spec corev1.PodSpec, edit func(*editors.PodSpecEditor)) corev1.PodSpec {
	edit(editors.NewPodSpecEditor(&spec))
	return spec
}

func TestPodLists(t *testing.T) {
	spread := func(key string, skew int32, action corev1.UnsatisfiableConstraintAction) corev1.TopologySpreadConstraint {
		return corev1.TopologySpreadConstraint{TopologyKey: key, MaxSkew: skew, WhenUnsatisfiable: action}
	}
	host := &corev1.HostPathVolumeSource{Path: "/h"}
	spec := editPod(corev1.PodSpec{}, func(e *editors.PodSpecEditor) {
		e.EnsureImagePullSecret("a")
		e.EnsureImagePullSecret("b")
		e.EnsureImagePullSecret("a")
		e.EnsureNodeSelector("k", "1")
		e.EnsureNodeSelector("l", "2")
		e.EnsureNodeSelector("k", "3")
		e.EnsureVolume(corev1.Volume{Name: "v"})
		e.EnsureVolume(corev1.Volume{Name: "w"})
		e.EnsureVolume(corev1.Volume{Name: "v", VolumeSource: corev1.VolumeSource{HostPath: host}})
		e.EnsureTopologySpreadConstraint(spread("zone", 1, corev1.DoNotSchedule))
		e.EnsureTopologySpreadConstraint(spread("zone", 2, corev1.ScheduleAnyway))
		e.EnsureTopologySpreadConstraint(spread("zone", 3, corev1.DoNotSchedule))
		e.EnsureTopologySpreadConstraint(spread("host", 4, corev1.DoNotSchedule))
	})
	assert.Equal(t, corev1.PodSpec{
		ImagePullSecrets: []corev1.LocalObjectReference{{Name: "a"}, {Name: "b"}},
		NodeSelector:     map[string]string{"k": "3", "l": "2"},
		Volumes:          []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{HostPath: host}}, {Name: "w"}},
		TopologySpreadConstraints: []corev1.TopologySpreadConstraint{
			spread("zone", 3, corev1.DoNotSchedule), spread("zone", 2, corev1.ScheduleAnyway), spread("host", 4, corev1.DoNotSchedule),
		},
	}, spec)

	spec = editPod(spec, func(e *editors.PodSpecEditor) {
		for _, name := range []string{"a", "b", "k", "l", "v", "w", "zone", "host", "absent"} {
			e.RemoveImagePullSecret(name)
			e.RemoveNodeSelector(name)
			e.RemoveVolume(name)
			e.RemoveTopologySpreadConstraint(name)
		}
	})
	assert.Equal(t, corev1.PodSpec{}, spec, "what is empty is nil")
}

func TestPodTolerations(t *testing.T) {
	toleration := func(key string, seconds int64) corev1.Toleration {
		return corev1.Toleration{Key: key, TolerationSeconds: &seconds}
	}
	spec := editPod(corev1.PodSpec{}, func(e *editors.PodSpecEditor) {
		e.EnsureToleration(toleration("a", 1))
		e.EnsureToleration(toleration("b", 1))
		e.EnsureToleration(toleration("a", 1))
		e.EnsureToleration(toleration("a", 2))
		e.RemoveTolerations(nil)
	})
	assert.Equal(t, []corev1.Toleration{toleration("a", 1), toleration("b", 1), toleration("a", 2)}, spec.Tolerations)
	of := func(key string) func(corev1.Toleration) bool {
		return func(toleration corev1.Toleration) bool { return toleration.Key == key }
	}
	spec = editPod(spec, func(e *editors.PodSpecEditor) { e.RemoveTolerations(of("b")) })
	assert.Equal(t, []corev1.Toleration{toleration("a", 1), toleration("a", 2)}, spec.Tolerations)
	spec = editPod(spec, func(e *editors.PodSpecEditor) { e.RemoveTolerations(of("a")) })
	assert.Nil(t, spec.Tolerations)
	spec = editPod(spec, func(e *editors.PodSpecEditor) { e.SetTolerations([]corev1.Toleration{toleration("c", 3)}) })
	assert.Equal(t, []corev1.Toleration{toleration("c", 3)}, spec.Tolerations)
	spec = editPod(spec, func(e *editors.PodSpecEditor) { e.SetTolerations(nil) })
	assert.Nil(t, spec.Tolerations)
}

func TestPodSetters(t *testing.T) {
	want := corev1.PodSpec{
		ServiceAccountName: "sa", AutomountServiceAccountToken: new(false), PriorityClassName: "p", SchedulerName: "s",
		HostNetwork: true, HostPID: true, HostIPC: true, HostAliases: []corev1.HostAlias{{IP: "::1"}}, DNSPolicy: corev1.DNSDefault,
		SecurityContext: &corev1.PodSecurityContext{RunAsUser: new(int64(1))}, Affinity: &corev1.Affinity{},
		TerminationGracePeriodSeconds: new(int64(2)), RuntimeClassName: new("r"),
	}
	spec := editPod(corev1.PodSpec{}, func(e *editors.PodSpecEditor) {
		e.SetServiceAccountName("sa")
		e.SetAutomountServiceAccountToken(new(false))
		e.SetPriorityClassName("p")
		e.SetSchedulerName("s")
		e.SetHostNetwork(true)
		e.SetHostPID(true)
		e.SetHostIPC(true)
		e.SetHostAliases(want.HostAliases)
		e.SetDNSPolicy(corev1.DNSDefault)
		e.SetSecurityContext(want.SecurityContext)
		e.SetAffinity(want.Affinity)
		e.SetTerminationGracePeriodSeconds(2)
		e.SetRuntimeClassName("r")
	})
	assert.Equal(t, want, spec)
	spec = editPod(spec, func(e *editors.PodSpecEditor) {
		e.SetAutomountServiceAccountToken(nil)
		e.SetSecurityContext(nil)
		e.SetAffinity(nil)
		e.SetHostAliases(nil)
	})
	assert.Nil(t, spec.AutomountServiceAccountToken)
	assert.Nil(t, spec.SecurityContext)
	assert.Nil(t, spec.Affinity)
	assert.Nil(t, spec.HostAliases)
}
