package app_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"

	"projection.sh/operator/primitives/component"
)

func suspended(s *v1.WebAppSpec) { s.Suspended = true }

func resumed(s *v1.WebAppSpec) { s.Suspended = false }

func TestSuspendAndResume(t *testing.T) {
	w := newWorld(t)
	w.running()
	budget := get(w, &policyv1.PodDisruptionBudget{}, "web").ResourceVersion
	config := get(w, &corev1.ConfigMap{}, "web-config").ResourceVersion
	service := get(w, &corev1.Service{}, "web").ResourceVersion

	w.edit(suspended)
	w.reconcile()
	assert.Equal(t, int32(0), *w.deployment().Spec.Replicas)
	assert.Equal(t, "Waiting for deployment controller to observe latest spec", w.says(v1.WebReady, metav1.ConditionFalse, component.Suspending))
	w.stamp(2, 2, 2)
	w.reconcile()
	assert.Contains(t, w.says(v1.WebReady, metav1.ConditionFalse, component.Suspending), "2 replicas still running")
	w.stamp(0, 0, 0)
	w.reconcile()
	w.says(v1.WebReady, metav1.ConditionTrue, component.Suspended)
	w.says(v1.Ready, metav1.ConditionTrue, component.Suspended)
	assert.Equal(t, budget, get(w, &policyv1.PodDisruptionBudget{}, "web").ResourceVersion)
	assert.Equal(t, config, get(w, &corev1.ConfigMap{}, "web-config").ResourceVersion)
	assert.Equal(t, service, get(w, &corev1.Service{}, "web").ResourceVersion)

	w.edit(resumed)
	w.reconcile()
	assert.Equal(t, int32(2), *w.deployment().Spec.Replicas)
	w.says(v1.MigrationComplete, metav1.ConditionTrue, component.Healthy)
	w.rollOut()
	w.reconcile()
	w.says(v1.Ready, metav1.ConditionTrue, component.Healthy)
	assert.Len(t, w.jobs(), 1, "the migration has not been run again")
}

func TestSuspendedAppIsNotScaled(t *testing.T) {
	w := newWorld(t)
	w.running()
	w.edit(autoscaled)
	w.reconcile()
	w.autoscale(4)
	w.rollOut()
	w.reconcile()

	w.edit(suspended)
	w.reconcile()
	w.absent(&autoscalingv2.HorizontalPodAutoscaler{}, "web")
	assert.Equal(t, int32(0), *w.deployment().Spec.Replicas)

	w.edit(resumed)
	w.reconcile()
	w.autoscaler()
	assert.Equal(t, int32(1), *w.deployment().Spec.Replicas, "from here the autoscaler goes on, which never scales from zero")
}
