package app_test

import (
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// writeStatus writes the status of an object as its controller does.
func (w *world) writeStatus(object client.Object) {
	w.Helper()
	require.NoError(w, w.client.Status().Update(w.Context(), object))
}

func (w *world) jobs() []batchv1.Job {
	w.Helper()
	var jobs batchv1.JobList
	require.NoError(w, w.client.List(w.Context(), &jobs, client.InNamespace(w.namespace)))
	return jobs.Items
}

// finishMigration plays the Job controller, for all Jobs that have not finished.
func (w *world) finishMigration() {
	w.Helper()
	for _, job := range w.jobs() {
		if job.Status.CompletionTime != nil {
			continue
		}
		now := metav1.Now()
		job.Status = batchv1.JobStatus{
			StartTime: &now, CompletionTime: &now, Succeeded: 1,
			Conditions: []batchv1.JobCondition{
				{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue, LastTransitionTime: now},
				{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: now},
			},
		}
		w.writeStatus(&job)
	}
}

func (w *world) deployment() *appsv1.Deployment {
	w.Helper()
	return get(w, &appsv1.Deployment{}, "web")
}

// stamp plays the Deployment controller and the kubelet: so many pods there are, are of the newest revision, and are ready.
func (w *world) stamp(replicas, updated, ready int32) {
	w.Helper()
	live := w.deployment()
	live.Status = appsv1.DeploymentStatus{
		ObservedGeneration: live.Generation, Replicas: replicas, UpdatedReplicas: updated, ReadyReplicas: ready, AvailableReplicas: ready,
	}
	w.writeStatus(live)
}

// rollOut stamps that all wanted pods are there.
func (w *world) rollOut() {
	w.Helper()
	desired := *w.deployment().Spec.Replicas
	w.stamp(desired, desired, desired)
}

func (w *world) autoscaler() *autoscalingv2.HorizontalPodAutoscaler {
	w.Helper()
	return get(w, &autoscalingv2.HorizontalPodAutoscaler{}, "web")
}

// autoscale plays the autoscaler: it sets the number of pods, and reports that it can.
func (w *world) autoscale(replicas int32) {
	w.Helper()
	live := w.deployment()
	live.Spec.Replicas = &replicas
	require.NoError(w, w.client.Update(w.Context(), live, client.FieldOwner("horizontal-pod-autoscaler")))
	scaler := w.autoscaler()
	scaler.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{
		{Type: autoscalingv2.AbleToScale, Status: corev1.ConditionTrue},
		{Type: autoscalingv2.ScalingActive, Status: corev1.ConditionTrue},
	}
	w.writeStatus(scaler)
}
