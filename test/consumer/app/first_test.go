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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"

	"projection.sh/operator/primitives/component"
)

func TestComponentsFollowEachOther(t *testing.T) {
	w := newWorld(t)
	w.create()
	w.reconcile()
	w.says(v1.ConfigurationReady, metav1.ConditionTrue, component.Healthy)
	w.says(v1.MigrationComplete, metav1.ConditionFalse, component.CompletionPending)
	assert.Contains(t, w.says(v1.WebReady, metav1.ConditionFalse, component.PrerequisiteNotMet), `waiting for condition "MigrationComplete"`)
	assert.Contains(t, w.says(v1.Ready, metav1.ConditionFalse, component.PrerequisiteNotMet), "web: Prerequisite not met")
	w.absent(&appsv1.Deployment{}, "web")
	w.absent(&corev1.Service{}, "web")
	w.absent(&corev1.ServiceAccount{}, "web")
	assert.Equal(t, "dark", get(w, &corev1.ConfigMap{}, "web-config").Data["theme"])

	w.finishMigration()
	w.eventsSoFar()
	w.reconcile()
	w.says(v1.MigrationComplete, metav1.ConditionTrue, component.Healthy)
	w.says(v1.WebReady, metav1.ConditionFalse, component.AliveCreating)
	assert.Equal(t, []string{
		"Normal CreatedServiceAccount Created ServiceAccount 'web'",
		"Normal CreatedDeployment Created Deployment 'web'",
		"Normal CreatedService Created Service 'web'",
		"Normal CreatedPodDisruptionBudget Created PodDisruptionBudget 'web'",
	}, w.eventsSoFar())
	w.absent(&autoscalingv2.HorizontalPodAutoscaler{}, "web")

	w.rollOut()
	w.reconcile()
	w.says(v1.WebReady, metav1.ConditionTrue, component.Healthy)
	w.says(v1.Ready, metav1.ConditionTrue, component.Healthy)
	assert.Equal(t, w.app().Generation, w.app().Status.ObservedGeneration)
	assert.Equal(t, int32(2), *w.deployment().Spec.Replicas)
	assert.Equal(t, "registry.example.com/web:2.1.0", w.deployment().Spec.Template.Spec.Containers[0].Image)
}

func TestOnePodNeedsNoBudget(t *testing.T) {
	w := newWorld(t)
	w.running()
	get(w, &policyv1.PodDisruptionBudget{}, "web")
	w.edit(func(s *v1.WebAppSpec) { s.Replicas = new(int32(1)) })
	w.reconcile()
	w.absent(&policyv1.PodDisruptionBudget{}, "web")
}

func TestMissingCredentialsAreWaitedFor(t *testing.T) {
	w := newWorld(t)
	w.create(withCredentials)
	w.reconcile()
	assert.Equal(t, "waiting for v1/Secret/"+w.namespace+"/db", w.says(v1.ConfigurationReady, metav1.ConditionFalse, component.GuardBlocked))
	w.says(v1.MigrationComplete, metav1.ConditionFalse, component.PrerequisiteNotMet)
	w.absent(&corev1.ConfigMap{}, "web-config")
	assert.Empty(t, w.jobs())

	w.createCredentials("first")
	w.reconcile()
	w.says(v1.ConfigurationReady, metav1.ConditionTrue, component.Healthy)
	assert.Equal(t, "db", w.jobs()[0].Spec.Template.Spec.Containers[0].Env[0].ValueFrom.SecretKeyRef.Name)
}

func TestNewPasswordRestartsThePods(t *testing.T) {
	w := newWorld(t)
	w.createCredentials("first")
	w.running(withCredentials)
	annotations := w.deployment().Spec.Template.Annotations
	require.NotEmpty(t, annotations)

	db := get(w, &corev1.Secret{}, "db")
	db.Data["password"] = []byte("second")
	require.NoError(t, w.client.Update(t.Context(), db))
	w.reconcile()
	assert.NotEqual(t, annotations, w.deployment().Spec.Template.Annotations)
	w.says(v1.WebReady, metav1.ConditionFalse, component.AliveUpdating)
}

// createCredentials creates the Secret that withCredentials refers to.
func (w *world) createCredentials(password string) {
	w.Helper()
	require.NoError(w, w.client.Create(w.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "db"}, Data: map[string][]byte{"password": []byte(password)},
	}))
}

func TestMigrationThatFails(t *testing.T) {
	w := newWorld(t)
	w.create()
	w.reconcile()
	job := w.jobs()[0]
	now := metav1.Now()
	job.Status = batchv1.JobStatus{StartTime: &now, Failed: 1, Conditions: []batchv1.JobCondition{
		{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue, LastTransitionTime: now},
		{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, LastTransitionTime: now, Message: "no such table"},
	}}
	w.writeStatus(&job)
	w.reconcile()
	assert.Equal(t, "Job failed: no such table", w.says(v1.MigrationComplete, metav1.ConditionFalse, component.CompletionFailing))
	w.says(v1.WebReady, metav1.ConditionFalse, component.PrerequisiteNotMet)
	w.says(v1.Ready, metav1.ConditionFalse, component.CompletionFailing)
}
