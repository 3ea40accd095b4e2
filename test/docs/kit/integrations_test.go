package kit_test

import (
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/cronjob"
	"projection.sh/operator/primitives/hpa"
	"projection.sh/operator/primitives/ingress"
	"projection.sh/operator/primitives/job"
	"projection.sh/operator/primitives/pv"
	"projection.sh/operator/primitives/pvc"
	"projection.sh/operator/primitives/service"
)

func jobSection(t *testing.T) string {
	t.Helper()
	object := func(change func(*batchv1.Job)) *batchv1.Job { return with(&batchv1.Job{}, change) }
	ended := func(conditionType batchv1.JobConditionType, message string) *batchv1.Job {
		return object(func(j *batchv1.Job) {
			j.Status.Conditions = []batchv1.JobCondition{{Type: conditionType, Status: corev1.ConditionTrue, Message: message}}
		})
	}
	suspending := func(active int32) *batchv1.Job {
		return object(func(j *batchv1.Job) { j.Spec.Suspend, j.Status.Active = new(true), active })
	}
	none := object(func(*batchv1.Job) {})
	return section(t, "job", handlers[*batchv1.Job]{
		status:     task(job.DefaultConvergingStatusHandler),
		suspension: job.DefaultSuspensionStatusHandler, deletes: job.DefaultDeleteOnSuspendHandler,
	}, []state[*batchv1.Job]{
		{when: "condition `Complete` is True", object: ended(batchv1.JobComplete, "")},
		{when: "condition `Failed` is True", object: ended(batchv1.JobFailed, "the condition's message")},
		{when: "condition `Failed` is True, without a message", object: ended(batchv1.JobFailed, "")},
		{when: "`active` > 0", object: object(func(j *batchv1.Job) { j.Status.Active = 2 })},
		{when: "created", object: none, op: concepts.ConvergingOperationCreated},
		{when: otherwise, object: none, op: concepts.ConvergingOperationNone},
	}, []state[*batchv1.Job]{
		{when: "`spec.suspend` is not set", object: none},
		{when: "`active` > 0", object: suspending(2)},
		{when: otherwise, object: suspending(0)},
	})
}

func cronJobSection(t *testing.T) string {
	t.Helper()
	suspending := func(active int) *batchv1.CronJob {
		c := &batchv1.CronJob{Spec: batchv1.CronJobSpec{Suspend: new(true)}}
		c.Status.Active = make([]corev1.ObjectReference, active)
		return c
	}
	return section(t, "cronjob", handlers[*batchv1.CronJob]{
		status: operational(cronjob.DefaultOperationalStatusHandler), grace: cronjob.DefaultGraceStatusHandler,
		suspension: cronjob.DefaultSuspensionStatusHandler, deletes: cronjob.DefaultDeleteOnSuspendHandler,
	}, []state[*batchv1.CronJob]{{when: always, object: &batchv1.CronJob{}}}, []state[*batchv1.CronJob]{
		{when: "`spec.suspend` is not set", object: &batchv1.CronJob{}},
		{when: "a Job is active", object: suspending(2)},
		{when: otherwise, object: suspending(0)},
	})
}

func serviceSection(t *testing.T) string {
	t.Helper()
	object := func(kind corev1.ServiceType, addresses ...corev1.LoadBalancerIngress) *corev1.Service {
		s := &corev1.Service{Spec: corev1.ServiceSpec{Type: kind}}
		s.Status.LoadBalancer.Ingress = addresses
		return s
	}
	return section(t, "service", handlers[*corev1.Service]{
		status: operational(service.DefaultOperationalStatusHandler), grace: service.DefaultGraceStatusHandler,
		suspension: service.DefaultSuspensionStatusHandler, deletes: service.DefaultDeleteOnSuspendHandler,
	}, []state[*corev1.Service]{
		{when: "not of type `LoadBalancer`", object: object(corev1.ServiceTypeClusterIP)},
		{when: "`LoadBalancer` with an address", object: object(corev1.ServiceTypeLoadBalancer, corev1.LoadBalancerIngress{Hostname: "web"})},
		{when: otherwise, object: object(corev1.ServiceTypeLoadBalancer)},
	}, []state[*corev1.Service]{{when: always, object: object(corev1.ServiceTypeClusterIP)}})
}

func ingressSection(t *testing.T) string {
	t.Helper()
	assigned := &networkingv1.Ingress{}
	assigned.Status.LoadBalancer.Ingress = []networkingv1.IngressLoadBalancerIngress{{IP: "192.0.2.1"}}
	return section(t, "ingress", handlers[*networkingv1.Ingress]{
		status: operational(ingress.DefaultOperationalStatusHandler), grace: ingress.DefaultGraceStatusHandler,
		suspension: ingress.DefaultSuspensionStatusHandler, deletes: ingress.DefaultDeleteOnSuspendHandler,
	}, []state[*networkingv1.Ingress]{
		{when: "it has an address", object: assigned}, {when: otherwise, object: &networkingv1.Ingress{}},
	}, []state[*networkingv1.Ingress]{{when: always, object: assigned}})
}

func hpaSection(t *testing.T) string {
	t.Helper()
	object := func(conditionType autoscalingv2.HorizontalPodAutoscalerConditionType, status corev1.ConditionStatus) *autoscalingv2.HorizontalPodAutoscaler {
		h := &autoscalingv2.HorizontalPodAutoscaler{}
		h.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: conditionType, Status: status}}
		return h
	}
	none := &autoscalingv2.HorizontalPodAutoscaler{}
	return section(t, "hpa", handlers[*autoscalingv2.HorizontalPodAutoscaler]{
		status: operational(hpa.DefaultOperationalStatusHandler), grace: hpa.DefaultGraceStatusHandler,
		suspension: hpa.DefaultSuspensionStatusHandler, deletes: hpa.DefaultDeleteOnSuspendHandler,
	}, []state[*autoscalingv2.HorizontalPodAutoscaler]{
		{when: "`AbleToScale` is False", object: object(autoscalingv2.AbleToScale, corev1.ConditionFalse)},
		{when: "`ScalingActive` is True", object: object(autoscalingv2.ScalingActive, corev1.ConditionTrue)},
		{when: "`ScalingActive` is False", object: object(autoscalingv2.ScalingActive, corev1.ConditionFalse)},
		{when: "`ScalingActive` is Unknown", object: object(autoscalingv2.ScalingActive, corev1.ConditionUnknown)},
		{when: "`ScalingActive` has another status", object: object(autoscalingv2.ScalingActive, "Odd")},
		{when: "no conditions", object: none},
		{when: otherwise, object: object(autoscalingv2.AbleToScale, corev1.ConditionTrue)},
	}, []state[*autoscalingv2.HorizontalPodAutoscaler]{{when: always, object: none}}) +
		"\nA message of the condition is the reason instead.\n"
}

func pvcSection(t *testing.T) string {
	t.Helper()
	object := func(phase corev1.PersistentVolumeClaimPhase, volume string) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{
			Spec: corev1.PersistentVolumeClaimSpec{VolumeName: volume}, Status: corev1.PersistentVolumeClaimStatus{Phase: phase},
		}
	}
	return section(t, "pvc", handlers[*corev1.PersistentVolumeClaim]{
		status: operational(pvc.DefaultOperationalStatusHandler), grace: pvc.DefaultGraceStatusHandler,
		suspension: pvc.DefaultSuspensionStatusHandler, deletes: pvc.DefaultDeleteOnSuspendHandler,
	}, []state[*corev1.PersistentVolumeClaim]{
		{when: "`Bound`", object: object(corev1.ClaimBound, "pv-1")},
		{when: "`Bound`, without a name of the volume", object: object(corev1.ClaimBound, "")},
		{when: "`Lost`", object: object(corev1.ClaimLost, "pv-1")},
		{when: otherwise, object: object(corev1.ClaimPending, "")},
	}, []state[*corev1.PersistentVolumeClaim]{{when: always, object: object(corev1.ClaimBound, "")}})
}

func pvSection(t *testing.T) string {
	t.Helper()
	var states []state[*corev1.PersistentVolume]
	for _, phase := range []corev1.PersistentVolumePhase{
		corev1.VolumeAvailable, corev1.VolumeBound, corev1.VolumePending, corev1.VolumeReleased, corev1.VolumeFailed,
	} {
		states = append(states, state[*corev1.PersistentVolume]{
			when: "`" + string(phase) + "`", object: &corev1.PersistentVolume{Status: corev1.PersistentVolumeStatus{Phase: phase}},
		})
	}
	other := &corev1.PersistentVolume{Status: corev1.PersistentVolumeStatus{Phase: "Odd"}}
	return section(t, "pv", handlers[*corev1.PersistentVolume]{
		status: operational(pv.DefaultOperationalStatusHandler), grace: pv.DefaultGraceStatusHandler,
	}, append(states, state[*corev1.PersistentVolume]{when: otherwise, object: other}), nil) +
		"\nA PersistentVolume takes no part in a suspension.\n"
}
