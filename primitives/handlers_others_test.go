package primitives_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"projection.sh/operator/primitives/concepts"
)

func TestJobHealth(t *testing.T) {
	k := named(t, "batch/v1/Job/ns/name")
	condition := func(conditionType batchv1.JobConditionType, status corev1.ConditionStatus, message string) batchv1.JobCondition {
		return batchv1.JobCondition{Type: conditionType, Status: status, Message: message}
	}
	for name, test := range map[string]struct {
		op             concepts.ConvergingOperation
		active         int32
		conditions     []batchv1.JobCondition
		status, reason string
	}{
		"complete":           {created, 1, []batchv1.JobCondition{condition("Complete", "True", "")}, "Completed", "Job completed successfully"},
		"failed":             {created, 1, []batchv1.JobCondition{condition("Failed", "True", "too often")}, "TaskFailing", "Job failed: too often"},
		"failed, no message": {created, 0, []batchv1.JobCondition{condition("Failed", "True", "")}, "TaskFailing", "Job failed"},
		"the first counts":   {created, 0, []batchv1.JobCondition{condition("Failed", "True", ""), condition("Complete", "True", "")}, "TaskFailing", "Job failed"},
		"conditions that do not hold": {
			created, 2, []batchv1.JobCondition{condition("Failed", "False", ""), condition("Complete", "Unknown", "")}, "TaskRunning", "Job has 2 active pod(s)",
		},
		"new":     {created, 0, nil, "TaskPending", "Job was just created, waiting for pods to be scheduled"},
		"waiting": {updated, 0, []batchv1.JobCondition{condition("Suspended", "True", "")}, "TaskPending", "Job is waiting for pods to be scheduled"},
	} {
		t.Run(name, func(t *testing.T) {
			object := k.object().(*batchv1.Job)
			object.Status = batchv1.JobStatus{Active: test.active, Conditions: test.conditions}
			requireHealth(t, k, test.op, object, health{status: test.status, reason: test.reason})
		})
	}
	object := k.object().(*batchv1.Job)
	requireSuspension(t, k, object, concepts.SuspensionStatusSuspending, "Waiting for Job suspend field to be applied")
	object = suspended(t, k).(*batchv1.Job)
	assert.True(t, *object.Spec.Suspend)
	requireSuspension(t, k, object, concepts.SuspensionStatusSuspended, "Job is suspended")
	object.Status.Active = 2
	requireSuspension(t, k, object, concepts.SuspensionStatusSuspending, "Job is suspending, 2 pod(s) still active")
}

func TestCronJobHealth(t *testing.T) {
	k := named(t, "batch/v1/CronJob/ns/name")
	requireHealth(t, k, created, k.object(), health{
		"Operational", "CronJob is a passive scheduler and is considered operational once it exists",
		"Healthy", "CronJob is a passive scheduler and is considered healthy once it exists",
	})
	requireSuspension(t, k, k.object(), concepts.SuspensionStatusSuspending, "Waiting for suspend flag to be applied")
	object := suspended(t, k).(*batchv1.CronJob)
	assert.True(t, *object.Spec.Suspend)
	requireSuspension(t, k, object, concepts.SuspensionStatusSuspended, "CronJob suspended")
	object.Status.Active = make([]corev1.ObjectReference, 2)
	requireSuspension(t, k, object, concepts.SuspensionStatusSuspending, "CronJob suspended but 2 active jobs still running")
}

func TestServiceHealth(t *testing.T) {
	const waiting, assigned = "Awaiting load balancer IP/hostname assignment", "Load balancer IP/hostname assigned"
	k := named(t, "v1/Service/ns/name")
	object := k.object().(*corev1.Service)
	requireHealth(t, k, created, object, health{"Operational", "Service is operational", "Healthy", "Service is healthy"})
	object.Spec.Type = corev1.ServiceTypeLoadBalancer
	for _, ingress := range [][]corev1.LoadBalancerIngress{nil, {{}}} {
		object.Status.LoadBalancer.Ingress = ingress
		requireHealth(t, k, created, object, health{"OperationPending", waiting, "Degraded", waiting})
	}
	for _, ingress := range []corev1.LoadBalancerIngress{{IP: "::1"}, {Hostname: "a"}} {
		object.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{}, ingress}
		requireHealth(t, k, created, object, health{"Operational", assigned, "Healthy", assigned})
	}
}

func TestIngressHealth(t *testing.T) {
	const waiting, assigned = "Awaiting load balancer address assignment", "Ingress has been assigned an address"
	k := named(t, "networking.k8s.io/v1/Ingress/ns/name")
	object := k.object().(*networkingv1.Ingress)
	for _, ingress := range [][]networkingv1.IngressLoadBalancerIngress{nil, {{}}} {
		object.Status.LoadBalancer.Ingress = ingress
		requireHealth(t, k, created, object, health{"OperationPending", waiting, "Degraded", waiting})
	}
	for _, ingress := range []networkingv1.IngressLoadBalancerIngress{{IP: "::1"}, {Hostname: "a"}} {
		object.Status.LoadBalancer.Ingress = []networkingv1.IngressLoadBalancerIngress{{}, ingress}
		requireHealth(t, k, created, object, health{"Operational", assigned, "Healthy", assigned})
	}
}

func TestHPAHealth(t *testing.T) {
	k := named(t, "autoscaling/v2/HorizontalPodAutoscaler/ns/name")
	is := func(conditionType autoscalingv2.HorizontalPodAutoscalerConditionType, status corev1.ConditionStatus, message string) autoscalingv2.HorizontalPodAutoscalerCondition {
		return autoscalingv2.HorizontalPodAutoscalerCondition{Type: conditionType, Status: status, Message: message}
	}
	same := func(status, grace, reason string) health { return health{status, reason, grace, reason} }
	for name, test := range map[string]struct {
		conditions []autoscalingv2.HorizontalPodAutoscalerCondition
		want       health
	}{
		"not able": {
			[]autoscalingv2.HorizontalPodAutoscalerCondition{is("ScalingActive", "True", ""), is("AbleToScale", "False", "")},
			same("OperationFailing", "Down", "AbleToScale is False"),
		},
		"active": {
			[]autoscalingv2.HorizontalPodAutoscalerCondition{is("AbleToScale", "True", ""), is("ScalingActive", "True", "")},
			same("Operational", "Healthy", "ScalingActive is True"),
		},
		"with a message": {[]autoscalingv2.HorizontalPodAutoscalerCondition{is("ScalingActive", "True", "m")}, same("Operational", "Healthy", "m")},
		"not active":     {[]autoscalingv2.HorizontalPodAutoscalerCondition{is("ScalingActive", "False", "")}, same("OperationFailing", "Down", "ScalingActive is False")},
		"unknown":        {[]autoscalingv2.HorizontalPodAutoscalerCondition{is("ScalingActive", "Unknown", "")}, same("OperationPending", "Degraded", "ScalingActive is Unknown")},
		"odd": {
			[]autoscalingv2.HorizontalPodAutoscalerCondition{is("ScalingActive", "odd", "")},
			health{"OperationPending", "ScalingActive has unrecognized status", "Degraded", "ScalingActive is Unknown"},
		},
		"no conditions": {nil, same("OperationPending", "Degraded", "Waiting for HPA conditions to be populated")},
		"only others": {
			[]autoscalingv2.HorizontalPodAutoscalerCondition{is("AbleToScale", "True", "")},
			same("OperationPending", "Degraded", "Waiting for ScalingActive condition on HPA"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := k.object().(*autoscalingv2.HorizontalPodAutoscaler)
			object.Status.Conditions = test.conditions
			requireHealth(t, k, created, object, test.want)
		})
	}
}

func TestVolumeHealth(t *testing.T) {
	same := func(status, grace, reason string) health { return health{status, reason, grace, reason} }
	claims := named(t, "v1/PersistentVolumeClaim/ns/name")
	claim := claims.object().(*corev1.PersistentVolumeClaim)
	requireHealth(t, claims, created, claim, same("OperationPending", "Degraded", "Waiting for PVC to be bound"))
	claim.Status.Phase = corev1.ClaimBound
	requireHealth(t, claims, created, claim, same("Operational", "Healthy", "PVC is bound"))
	claim.Spec.VolumeName = "v"
	requireHealth(t, claims, created, claim, same("Operational", "Healthy", "PVC is bound to volume v"))
	claim.Status.Phase = corev1.ClaimLost
	requireHealth(t, claims, created, claim, same("OperationFailing", "Down", "PVC has lost its bound volume"))

	volumes := named(t, "v1/PersistentVolume/name")
	for phase, want := range map[corev1.PersistentVolumePhase]health{
		corev1.VolumeAvailable: same("Operational", "Healthy", "PersistentVolume is available"),
		corev1.VolumeBound:     same("Operational", "Healthy", "PersistentVolume is bound to a claim"),
		corev1.VolumePending:   same("OperationPending", "Degraded", "PersistentVolume is pending"),
		corev1.VolumeReleased:  same("OperationFailing", "Down", "PersistentVolume has been released and is not yet reclaimed"),
		corev1.VolumeFailed:    same("OperationFailing", "Down", "PersistentVolume reclamation has failed"),
		"":                     same("OperationPending", "Degraded", `PersistentVolume phase is ""`),
	} {
		volume := volumes.object().(*corev1.PersistentVolume)
		volume.Status.Phase = phase
		requireHealth(t, volumes, created, volume, want)
	}
}
