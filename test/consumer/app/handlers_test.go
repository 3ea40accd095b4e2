package app_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/hpa"
	"projection.sh/operator/primitives/job"
	"projection.sh/operator/primitives/service"
)

const nothingDone = concepts.ConvergingOperationNone

// TestHandlersOfTheKinds calls default handlers as an author does who replaces one and falls back to it.
func TestHandlersOfTheKinds(t *testing.T) {
	deployed := &appsv1.Deployment{
		Spec:   appsv1.DeploymentSpec{Replicas: new(int32(2))},
		Status: appsv1.DeploymentStatus{Replicas: 2, ReadyReplicas: 2},
	}
	alive, err := deployment.DefaultConvergingStatusHandler(nothingDone, deployed)
	require.NoError(t, err)
	assert.Equal(t, concepts.AliveStatusWithReason{
		Status: concepts.AliveConvergingStatusUpdating, Reason: "Waiting for rollout: 0/2 replicas updated",
	}, alive)

	done := &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{
		{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Message: "too many retries"},
	}}}
	completion, err := job.DefaultConvergingStatusHandler(nothingDone, done)
	require.NoError(t, err)
	assert.Equal(t, concepts.CompletionStatusWithReason{
		Status: concepts.CompletionStatusFailing, Reason: "Job failed: too many retries",
	}, completion)
	assert.True(t, job.DefaultDeleteOnSuspendHandler(done), "which is why the example replaces it")

	scaler := &autoscalingv2.HorizontalPodAutoscaler{}
	operational, err := hpa.DefaultOperationalStatusHandler(nothingDone, scaler)
	require.NoError(t, err)
	assert.Equal(t, concepts.OperationalStatusWithReason{
		Status: concepts.OperationalStatusPending, Reason: "Waiting for HPA conditions to be populated",
	}, operational)
	assert.True(t, hpa.DefaultDeleteOnSuspendHandler(scaler))
}

// TestHealthyIsHealthyByGrace holds for whatever status an object has: else a component that has converged could be down.
func TestHealthyIsHealthyByGrace(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	few := func() int32 { return random.Int31n(3) }
	healthy := map[string]int{}
	for range 2000 {
		d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: new(few()), Paused: few() == 0}, Status: appsv1.DeploymentStatus{
			ObservedGeneration: int64(few()), Replicas: few(), UpdatedReplicas: few(), ReadyReplicas: few(), AvailableReplicas: few(),
		}}
		d.Generation = int64(few())
		alive, err := deployment.DefaultConvergingStatusHandler(nothingDone, d)
		require.NoError(t, err)
		grace, err := deployment.DefaultGraceStatusHandler(d)
		require.NoError(t, err)
		same(t, healthy, alive.Status == concepts.AliveConvergingStatusHealthy, grace, d)

		h := &autoscalingv2.HorizontalPodAutoscaler{}
		for range few() {
			h.Status.Conditions = append(h.Status.Conditions, autoscalingv2.HorizontalPodAutoscalerCondition{
				Type:   []autoscalingv2.HorizontalPodAutoscalerConditionType{autoscalingv2.AbleToScale, autoscalingv2.ScalingActive, "Other"}[few()],
				Status: []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown}[few()],
			})
		}
		operational, err := hpa.DefaultOperationalStatusHandler(nothingDone, h)
		require.NoError(t, err)
		grace, err = hpa.DefaultGraceStatusHandler(h)
		require.NoError(t, err)
		same(t, healthy, operational.Status == concepts.OperationalStatusOperational, grace, h)

		s := &corev1.Service{Spec: corev1.ServiceSpec{Type: []corev1.ServiceType{"", corev1.ServiceTypeClusterIP, corev1.ServiceTypeLoadBalancer}[few()]}}
		s.Status.LoadBalancer.Ingress = make([]corev1.LoadBalancerIngress, few())
		operational, err = service.DefaultOperationalStatusHandler(nothingDone, s)
		require.NoError(t, err)
		grace, err = service.DefaultGraceStatusHandler(s)
		require.NoError(t, err)
		same(t, healthy, operational.Status == concepts.OperationalStatusOperational, grace, s)
	}
	assert.Len(t, healthy, 3, "each kind has been healthy: %v", healthy)
}

func same(t *testing.T, seen map[string]int, healthy bool, grace concepts.GraceStatusWithReason, object any) {
	t.Helper()
	require.Equal(t, healthy, grace.Status == concepts.GraceStatusHealthy, "%#v", object)
	if healthy {
		seen[fmt.Sprintf("%T", object)]++
	}
}
