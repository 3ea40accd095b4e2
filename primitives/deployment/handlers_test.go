package deployment_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/deployment"
)

const (
	creating, updating, scaling = concepts.AliveConvergingStatusCreating, concepts.AliveConvergingStatusUpdating, concepts.AliveConvergingStatusScaling
	healthy, failing            = concepts.AliveConvergingStatusHealthy, concepts.AliveConvergingStatusFailing
	down, degraded, fine        = concepts.GraceStatusDown, concepts.GraceStatusDegraded, concepts.GraceStatusHealthy
)

// deploymentOf returns a Deployment of two pods that has converged, and was then changed.
func deploymentOf(change func(*appsv1.Deployment)) *appsv1.Deployment {
	object := &appsv1.Deployment{}
	object.Generation, object.Status.ObservedGeneration = 2, 2
	object.Spec.Replicas = new(int32(2))
	object.Status.Replicas, object.Status.UpdatedReplicas, object.Status.ReadyReplicas, object.Status.AvailableReplicas = 2, 2, 2, 2
	if change != nil {
		change(object)
	}
	return object
}

func TestConvergingAndGrace(t *testing.T) {
	const all, part, waiting = "All replicas are ready", "Deployment partially available", "Waiting for deployment controller to observe latest spec"
	for name, test := range map[string]struct {
		change                    func(*appsv1.Deployment)
		created, updated, nothing concepts.AliveConvergingStatus
		reason                    string
		grace                     concepts.GraceStatus
		graceReason               string
	}{
		"converged": {nil, healthy, healthy, healthy, all, fine, all},
		"one by default": {
			func(o *appsv1.Deployment) { o.Spec.Replicas = nil },
			creating, updating, scaling, "Waiting for replicas: 2/1 ready", degraded, part,
		},
		"not seen": {func(o *appsv1.Deployment) { o.Generation = 3 }, creating, updating, updating, waiting, degraded, waiting},
		"not seen, and nothing is ready": {
			func(o *appsv1.Deployment) { o.Generation, o.Status.ReadyReplicas = 3, 0 },
			creating, updating, updating, waiting, down, "No replicas are ready",
		},
		"nothing is ready": {
			func(o *appsv1.Deployment) { o.Status.ReadyReplicas = 0 },
			creating, updating, scaling, "Waiting for replicas: 0/2 ready", down, "No replicas are ready",
		},
		"one is ready": {
			func(o *appsv1.Deployment) { o.Status.ReadyReplicas = 1 },
			creating, updating, scaling, "Waiting for replicas: 1/2 ready", degraded, part,
		},
		"none is wanted": {
			func(o *appsv1.Deployment) {
				o.Spec.Replicas, o.Status = new(int32(0)), appsv1.DeploymentStatus{ObservedGeneration: 2}
			},
			healthy, healthy, healthy, all, fine, all,
		},
		"old pods are ready": {
			func(o *appsv1.Deployment) { o.Status.UpdatedReplicas = 1 },
			creating, updating, updating, "Waiting for rollout: 1/2 replicas updated", degraded, "Waiting for rollout: 1/2 replicas updated",
		},
		"old pods are left": {
			func(o *appsv1.Deployment) { o.Status.Replicas = 3 },
			creating, updating, updating, "Waiting for rollout: 1 old replicas pending termination",
			degraded, "Waiting for rollout: 1 old replicas pending termination",
		},
		"paused": {func(o *appsv1.Deployment) { o.Spec.Paused, o.Status.UpdatedReplicas = true, 0 }, healthy, healthy, healthy, all, fine, all},
		"not available, which nobody asks for": {
			func(o *appsv1.Deployment) { o.Status.AvailableReplicas = 1 }, healthy, healthy, healthy, all, fine, all,
		},
		"not available": {
			func(o *appsv1.Deployment) { o.Status.AvailableReplicas, o.Spec.MinReadySeconds = 1, 5 },
			creating, updating, updating, "Waiting for replicas: 1/2 available", degraded, "Waiting for replicas: 1/2 available",
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := deploymentOf(test.change)
			for op, want := range map[concepts.ConvergingOperation]concepts.AliveConvergingStatus{
				concepts.ConvergingOperationCreated: test.created, concepts.ConvergingOperationUpdated: test.updated,
				concepts.ConvergingOperationNone: test.nothing,
			} {
				status, err := deployment.DefaultConvergingStatusHandler(op, object)
				require.NoError(t, err)
				assert.Equal(t, concepts.AliveStatusWithReason{Status: want, Reason: test.reason}, status, op)
			}
			grace, err := deployment.DefaultGraceStatusHandler(object)
			require.NoError(t, err)
			assert.Equal(t, concepts.GraceStatusWithReason{Status: test.grace, Reason: test.graceReason}, grace)
		})
	}
}

func TestSuspension(t *testing.T) {
	const suspending, suspended = concepts.SuspensionStatusSuspending, concepts.SuspensionStatusSuspended
	for name, test := range map[string]struct {
		change func(*appsv1.Deployment)
		status concepts.SuspensionStatus
		reason string
	}{
		"pods run": {nil, suspending, "Waiting for replicas to scale down, 2 replicas still running."},
		"the status is from before": {
			func(o *appsv1.Deployment) { o.Generation, o.Status.Replicas = 3, 0 },
			suspending, "Waiting for deployment controller to observe latest spec",
		},
		"pods are being terminated": {
			func(o *appsv1.Deployment) { o.Status.Replicas, o.Status.TerminatingReplicas = 0, new(int32(1)) },
			suspending, "Waiting for 1 terminating replicas",
		},
		"nothing is left": {
			func(o *appsv1.Deployment) { o.Status.Replicas, o.Status.TerminatingReplicas = 0, new(int32(0)) },
			suspended, "Deployment scaled to zero",
		},
	} {
		t.Run(name, func(t *testing.T) {
			status, err := deployment.DefaultSuspensionStatusHandler(deploymentOf(test.change))
			require.NoError(t, err)
			assert.Equal(t, concepts.SuspensionStatusWithReason{Status: test.status, Reason: test.reason}, status)
		})
	}
	object := deploymentOf(nil)
	assert.False(t, deployment.DefaultDeleteOnSuspendHandler(object))
	m := deployment.NewMutator(object)
	require.NoError(t, deployment.DefaultSuspendMutationHandler(m))
	require.NoError(t, m.Apply())
	assert.Equal(t, int32(0), *object.Spec.Replicas)
}

func TestFailureAwareHandler(t *testing.T) {
	condition := func(conditionType appsv1.DeploymentConditionType, status corev1.ConditionStatus, reason, message string) appsv1.DeploymentCondition {
		return appsv1.DeploymentCondition{Type: conditionType, Status: status, Reason: reason, Message: message}
	}
	for name, test := range map[string]struct {
		condition appsv1.DeploymentCondition
		stale     bool
		want      concepts.AliveConvergingStatus
		reason    string
	}{
		"no progress":       {condition(appsv1.DeploymentProgressing, corev1.ConditionFalse, "ProgressDeadlineExceeded", "timed out"), false, failing, "timed out"},
		"without a message": {condition(appsv1.DeploymentProgressing, corev1.ConditionFalse, "ProgressDeadlineExceeded", ""), false, failing, "ProgressDeadlineExceeded"},
		"no pods":           {condition(appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, "FailedCreate", "quota"), false, failing, "quota"},
		"of another spec":   {condition(appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, "FailedCreate", "quota"), true, updating, "Waiting for deployment controller to observe latest spec"},
		"another reason":    {condition(appsv1.DeploymentProgressing, corev1.ConditionFalse, "Other", ""), false, healthy, "All replicas are ready"},
		"progress":          {condition(appsv1.DeploymentProgressing, corev1.ConditionTrue, "ProgressDeadlineExceeded", ""), false, healthy, "All replicas are ready"},
		"another condition": {condition(appsv1.DeploymentAvailable, corev1.ConditionTrue, "", ""), false, healthy, "All replicas are ready"},
		"pods can be made":  {condition(appsv1.DeploymentReplicaFailure, corev1.ConditionFalse, "", ""), false, healthy, "All replicas are ready"},
	} {
		t.Run(name, func(t *testing.T) {
			object := deploymentOf(func(o *appsv1.Deployment) { o.Status.Conditions = []appsv1.DeploymentCondition{test.condition} })
			if test.stale {
				object.Generation++
			}
			status, err := deployment.FailureAwareConvergingStatusHandler(concepts.ConvergingOperationNone, object)
			require.NoError(t, err)
			assert.Equal(t, concepts.AliveStatusWithReason{Status: test.want, Reason: test.reason}, status)
		})
	}
}
