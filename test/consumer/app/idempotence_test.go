package app_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	v1 "shop.example.com/webapp/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// children returns the objects of the namespace that an operator could have written, by kind and name.
func (w *world) children() map[string]client.Object {
	w.Helper()
	found := map[string]client.Object{}
	for kind, list := range map[string]client.ObjectList{
		"ConfigMap": &corev1.ConfigMapList{}, "Secret": &corev1.SecretList{}, "Service": &corev1.ServiceList{},
		"ServiceAccount": &corev1.ServiceAccountList{}, "Deployment": &appsv1.DeploymentList{}, "Job": &batchv1.JobList{},
		"PodDisruptionBudget": &policyv1.PodDisruptionBudgetList{}, "HorizontalPodAutoscaler": &autoscalingv2.HorizontalPodAutoscalerList{},
	} {
		require.NoError(w, w.client.List(w.Context(), list, client.InNamespace(w.namespace)))
		items, err := meta.ExtractList(list)
		require.NoError(w, err)
		for _, item := range items {
			object := item.(client.Object)
			found[kind+" "+object.GetName()] = object
		}
	}
	return found
}

// applies returns how often an object was applied, by what that did.
func (w *world) applies() map[string]int {
	w.Helper()
	families, err := w.metrics.Gather()
	require.NoError(w, err)
	counts := map[string]int{}
	for _, family := range families {
		if family.GetName() != "ocf_resource_apply_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "operation" {
					counts[label.GetValue()] += int(metric.GetCounter().GetValue())
				}
			}
		}
	}
	return counts
}

func TestReconcileWithoutAChangeChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.createCredentials("first")
	w.running(everything, func(s *v1.WebAppSpec) { s.ShareCredentialsWith = []string{w.newTeam()} })
	app, children, before := w.app(), w.children(), w.applies()
	require.Len(t, children, 7)
	for range 20 {
		w.reconcile()
	}
	assert.Equal(t, app, w.app())
	assert.Equal(t, children, w.children())
	assert.Empty(t, w.eventsSoFar())

	after := w.applies()
	// The ConfigMap, the Job, four objects of the component web, and the copy.
	assert.Equal(t, before["none"]+20*7, after["none"])
	delete(before, "none")
	delete(after, "none")
	assert.Equal(t, before, after)
}
