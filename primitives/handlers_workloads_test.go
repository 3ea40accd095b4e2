package primitives_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
)

func TestStatefulSetHealth(t *testing.T) {
	const waiting = "Waiting for statefulset controller to observe latest spec"
	k := named(t, "apps/v1/StatefulSet/ns/name")
	partitioned := func(partition int32) appsv1.StatefulSetUpdateStrategy {
		return appsv1.StatefulSetUpdateStrategy{
			Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &partition},
		}
	}
	all := health{"Healthy", "All replicas are ready", "Healthy", "All replicas are ready"}
	pending := func(reason string) health { return health{"Updating", reason, "Degraded", reason} }
	for name, test := range map[string]struct {
		change func(*appsv1.StatefulSet)
		want   health
	}{
		"converged":  {func(*appsv1.StatefulSet) {}, all},
		"not seen":   {func(o *appsv1.StatefulSet) { o.Generation = 3 }, pending(waiting)},
		"not ready":  {func(o *appsv1.StatefulSet) { o.Status.ReadyReplicas = 1 }, health{"Scaling", "Waiting for replicas: 1/3 ready", "Degraded", "StatefulSet partially available"}},
		"none ready": {func(o *appsv1.StatefulSet) { o.Status.ReadyReplicas = 0 }, health{"Scaling", "Waiting for replicas: 0/3 ready", "Down", "No replicas are ready"}},
		"old pods":   {func(o *appsv1.StatefulSet) { o.Status.UpdatedReplicas = 1 }, pending("Waiting for rollout: 1/3 replicas updated")},
		"old revision": {
			func(o *appsv1.StatefulSet) { o.Status.CurrentRevision, o.Status.UpdateRevision = "a", "b" }, pending("Waiting for rollout to revision b"),
		},
		"by hand": {
			func(o *appsv1.StatefulSet) {
				o.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType
				o.Status.UpdatedReplicas, o.Status.CurrentRevision = 0, "a"
			}, all,
		},
		"below the partition": {
			func(o *appsv1.StatefulSet) {
				o.Spec.UpdateStrategy, o.Status.UpdatedReplicas, o.Status.UpdateRevision = partitioned(2), 1, "b"
			}, all,
		},
		"above the partition": {
			func(o *appsv1.StatefulSet) { o.Spec.UpdateStrategy, o.Status.UpdatedReplicas = partitioned(1), 1 },
			pending("Waiting for partitioned rollout: 1/2 replicas updated"),
		},
		"a partition of all": {func(o *appsv1.StatefulSet) { o.Spec.UpdateStrategy, o.Status.UpdatedReplicas = partitioned(4), 0 }, all},
		"a partition of none": {
			func(o *appsv1.StatefulSet) { o.Spec.UpdateStrategy, o.Status.UpdatedReplicas = partitioned(0), 2 },
			pending("Waiting for rollout: 2/3 replicas updated"),
		},
		"not available": {
			func(o *appsv1.StatefulSet) { o.Spec.MinReadySeconds, o.Status.AvailableReplicas = 1, 2 }, pending("Waiting for replicas: 2/3 available"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := k.object().(*appsv1.StatefulSet)
			object.Generation, object.Status.ObservedGeneration, object.Spec.Replicas = 2, 2, new(int32(3))
			object.Status.ReadyReplicas, object.Status.UpdatedReplicas, object.Status.AvailableReplicas = 3, 3, 3
			test.change(object)
			requireHealth(t, k, unchanged, object, test.want)
		})
	}
	object := k.object().(*appsv1.StatefulSet)
	requireSuspension(t, k, object, concepts.SuspensionStatusSuspended, "StatefulSet scaled to zero")
	object.Generation = 1
	requireSuspension(t, k, object, concepts.SuspensionStatusSuspending, waiting)
	assert.Equal(t, int32(0), *suspended(t, k).(*appsv1.StatefulSet).Spec.Replicas)
}

func TestReplicaSetHealth(t *testing.T) {
	k := named(t, "apps/v1/ReplicaSet/ns/name")
	object := k.object().(*appsv1.ReplicaSet)
	object.Status.ReadyReplicas, object.Status.Replicas = 1, 1
	requireHealth(t, k, created, object, health{"Healthy", "All replicas are ready", "Healthy", "All replicas are ready"})
	object.Status.Replicas = 3
	for op, status := range map[concepts.ConvergingOperation]string{created: "Creating", updated: "Updating", unchanged: "Updating"} {
		requireHealth(t, k, op, object, health{status, "Waiting for scale-down: 3/1 replicas", "Degraded", "Waiting for scale-down: 3/1 replicas"})
	}
	object.Status.ReadyReplicas = 2
	requireHealth(t, k, unchanged, object, health{"Scaling", "Waiting for replicas: 2/1 ready", "Degraded", "ReplicaSet partially available"})
	object.Generation = 1
	const waiting = "Waiting for replicaset controller to observe latest spec"
	requireHealth(t, k, updated, object, health{"Updating", waiting, "Degraded", waiting})

	requireSuspension(t, k, object, concepts.SuspensionStatusSuspending, waiting)
	object.Generation = 0
	requireSuspension(t, k, object, concepts.SuspensionStatusSuspending, "Waiting for replicas to scale down, 3 replicas still running.")
	object.Status.Replicas, object.Status.TerminatingReplicas = 0, new(int32(2))
	requireSuspension(t, k, object, concepts.SuspensionStatusSuspending, "Waiting for 2 terminating replicas")
	object.Status.TerminatingReplicas = nil
	requireSuspension(t, k, object, concepts.SuspensionStatusSuspended, "ReplicaSet scaled to zero")
	assert.Equal(t, int32(0), *suspended(t, k).(*appsv1.ReplicaSet).Spec.Replicas)
}

func TestDaemonSetHealth(t *testing.T) {
	const waiting, none, all = "Waiting for DaemonSet controller to observe latest spec", "No nodes match the DaemonSet node selector", "All pods are ready"
	k := named(t, "apps/v1/DaemonSet/ns/name")
	object := k.object().(*appsv1.DaemonSet)
	requireHealth(t, k, created, object, health{"Healthy", none, "Healthy", none})
	object.Generation = 1
	requireHealth(t, k, created, object, health{"Creating", waiting, "Degraded", waiting})
	object.Status = appsv1.DaemonSetStatus{ObservedGeneration: 1, DesiredNumberScheduled: 2}
	requireHealth(t, k, unchanged, object, health{"Scaling", "Waiting for pods: 0/2 ready", "Down", "No pods are ready"})
	object.Status.NumberReady = 1
	requireHealth(t, k, updated, object, health{"Updating", "Waiting for pods: 1/2 ready", "Degraded", "DaemonSet partially available"})
	object.Status.NumberReady = 2
	const rollout = "Waiting for rollout: 0/2 pods updated"
	requireHealth(t, k, unchanged, object, health{"Updating", rollout, "Degraded", rollout})
	object.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
	requireHealth(t, k, unchanged, object, health{"Healthy", all, "Healthy", all})
	object.Spec.UpdateStrategy.Type, object.Status.UpdatedNumberScheduled = "", 2
	requireHealth(t, k, unchanged, object, health{"Healthy", all, "Healthy", all})
	object.Generation, object.Status.NumberReady = 2, 0
	requireHealth(t, k, unchanged, object, health{"Updating", waiting, "Down", "No pods are ready"})
}

func TestPodHealth(t *testing.T) {
	const running, notReady, notRunning = "Pod is running and all containers are ready", "Pod running but not all containers ready", "Pod is not running"
	status := func(name string, change func(*corev1.ContainerStatus)) []corev1.ContainerStatus {
		container := corev1.ContainerStatus{Name: name, Ready: true}
		if change != nil {
			change(&container)
		}
		return []corev1.ContainerStatus{container}
	}
	crash := func(c *corev1.ContainerStatus) {
		c.State.Waiting = &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}
	}
	ended := func(code int32) func(*corev1.ContainerStatus) {
		return func(c *corev1.ContainerStatus) {
			c.Ready, c.State.Terminated = false, &corev1.ContainerStateTerminated{ExitCode: code}
		}
	}
	unready := func(c *corev1.ContainerStatus) { c.Ready = false }
	k := named(t, "v1/Pod/ns/name")
	for name, test := range map[string]struct {
		op     concepts.ConvergingOperation
		status corev1.PodStatus
		want   health
	}{
		"ready":        {updated, corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: status("web", nil)}, health{"Healthy", running, "Healthy", "Pod running and all containers ready"}},
		"no statuses":  {unchanged, corev1.PodStatus{Phase: corev1.PodRunning}, health{"Creating", notReady, "Degraded", "Pod running but container readiness unknown"}},
		"not ready":    {unchanged, corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: status("web", unready)}, health{"Creating", notReady, "Degraded", notReady}},
		"crashes":      {unchanged, corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: status("web", crash)}, health{"Failing", "Container web is in CrashLoopBackOff", "Degraded", "Container web is in CrashLoopBackOff"}},
		"ended badly":  {created, corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: status("web", ended(1))}, health{"Failing", "Container web terminated with error", "Degraded", notReady}},
		"ended well":   {unchanged, corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: status("web", ended(0))}, health{"Creating", notReady, "Degraded", notReady}},
		"init crashes": {created, corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: status("init", crash)}, health{"Failing", "Container init is in CrashLoopBackOff", "Down", notRunning}},
		"failed":       {created, corev1.PodStatus{Phase: corev1.PodFailed}, health{"Failing", "Pod has failed", "Down", notRunning}},
		"succeeded":    {updated, corev1.PodStatus{Phase: corev1.PodSucceeded}, health{"Healthy", "Pod has completed successfully", "Healthy", "Pod has completed successfully"}},
		"recreated":    {updated, corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: status("web", unready)}, health{"Updating", "Pod is being recreated", "Degraded", notReady}},
		"new":          {created, corev1.PodStatus{Phase: corev1.PodPending}, health{"Creating", "Pod is starting", "Down", notRunning}},
		"pending":      {unchanged, corev1.PodStatus{}, health{"Creating", "Pod is pending", "Down", notRunning}},
	} {
		t.Run(name, func(t *testing.T) {
			object := k.object().(*corev1.Pod)
			object.Status = test.status
			requireHealth(t, k, test.op, object, test.want)
		})
	}
}

func TestInitContainersThatRunBesideThePod(t *testing.T) {
	k := named(t, "v1/Pod/ns/name")
	for name, test := range map[string]struct {
		unready string
		want    health
	}{
		"a sidecar": {"proxy", health{
			"Creating", "Pod running but not all containers ready", "Degraded", "Pod running but not all containers ready",
		}},
		"one that has ended": {"init", health{
			"Healthy", "Pod is running and all containers are ready", "Healthy", "Pod running and all containers ready",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			object := k.object().(*corev1.Pod)
			object.Spec.InitContainers = []corev1.Container{{Name: "init"}, {Name: "proxy", RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}}
			object.Status = corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "web", Ready: true}}}
			for _, container := range object.Spec.InitContainers {
				object.Status.InitContainerStatuses = append(object.Status.InitContainerStatuses, corev1.ContainerStatus{
					Name: container.Name, Ready: container.Name != test.unready,
				})
			}
			requireHealth(t, k, unchanged, object, test.want)
		})
	}
}
