package kit_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/daemonset"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/pod"
	"projection.sh/operator/primitives/replicaset"
	"projection.sh/operator/primitives/statefulset"
)

const (
	stale      = "`observedGeneration` < `generation`"
	noneReady  = "no pod is ready"
	someReady  = "`readyReplicas` is not `replicas`"
	notUpdated = "`updatedReplicas` < `replicas`"
	notLong    = "`minReadySeconds` > 0, `availableReplicas` < `replicas`"
	otherwise  = "otherwise"
	running    = "`status.replicas` > 0"
	ending     = "`status.terminatingReplicas` > 0"
	always     = "always"
)

func deploymentSection(t *testing.T) string {
	t.Helper()
	object := func(change func(*appsv1.Deployment)) *appsv1.Deployment {
		d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: new(int32(3))}}
		d.Generation = 2
		d.Status = appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 3, AvailableReplicas: 3}
		return with(d, change)
	}
	asItIs := func(*appsv1.Deployment) {}
	return section(t, "deployment", handlers[*appsv1.Deployment]{
		status: alive(deployment.DefaultConvergingStatusHandler), grace: deployment.DefaultGraceStatusHandler,
		suspension: deployment.DefaultSuspensionStatusHandler, deletes: deployment.DefaultDeleteOnSuspendHandler,
	}, []state[*appsv1.Deployment]{
		{when: stale, object: object(func(d *appsv1.Deployment) { d.Status.ObservedGeneration = 1 })},
		{when: noneReady, object: object(func(d *appsv1.Deployment) { d.Status.ReadyReplicas = 0 })},
		{when: someReady, object: object(func(d *appsv1.Deployment) { d.Status.ReadyReplicas = 1 })},
		{when: "not paused, " + notUpdated, object: object(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 1 })},
		{when: "not paused, `status.replicas` > `updatedReplicas`", object: object(func(d *appsv1.Deployment) { d.Status.Replicas = 4 })},
		{when: notLong, object: object(func(d *appsv1.Deployment) { d.Spec.MinReadySeconds, d.Status.AvailableReplicas = 5, 1 })},
		{when: otherwise, object: object(asItIs)},
	}, []state[*appsv1.Deployment]{
		{when: stale, object: object(func(d *appsv1.Deployment) { d.Status.ObservedGeneration = 1 })},
		{when: running, object: object(asItIs)},
		{when: ending, object: object(func(d *appsv1.Deployment) { d.Status.Replicas, d.Status.TerminatingReplicas = 0, new(int32(1)) })},
		{when: otherwise, object: object(func(d *appsv1.Deployment) { d.Status.Replicas = 0 })},
	})
}

func failureSection(t *testing.T) string {
	t.Helper()
	object := func(condition appsv1.DeploymentCondition) *appsv1.Deployment {
		return &appsv1.Deployment{
			Spec:   appsv1.DeploymentSpec{Replicas: new(int32(1))},
			Status: appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{condition}},
		}
	}
	return section(t, "deployment with FailureAwareConvergingStatusHandler", handlers[*appsv1.Deployment]{
		status: alive(deployment.FailureAwareConvergingStatusHandler),
	}, []state[*appsv1.Deployment]{
		{when: "condition `Progressing` is False with `ProgressDeadlineExceeded`", object: object(appsv1.DeploymentCondition{
			Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded", Message: "the condition's message",
		})},
		{when: "condition `ReplicaFailure` is True", object: object(appsv1.DeploymentCondition{
			Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: "the condition's message",
		})},
	}, nil) + "\nAll else is as in the table above.\n"
}

func statefulSetSection(t *testing.T) string {
	t.Helper()
	object := func(change func(*appsv1.StatefulSet)) *appsv1.StatefulSet {
		s := &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Replicas: new(int32(3))}}
		s.Generation = 2
		s.Status = appsv1.StatefulSetStatus{
			ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 3, AvailableReplicas: 3,
			CurrentRevision: "web-1", UpdateRevision: "web-1",
		}
		return with(s, change)
	}
	asItIs := func(*appsv1.StatefulSet) {}
	partitioned := func(s *appsv1.StatefulSet) {
		s.Status.UpdatedReplicas = 1
		s.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32(1))}
	}
	return section(t, "statefulset", handlers[*appsv1.StatefulSet]{
		status: alive(statefulset.DefaultConvergingStatusHandler), grace: statefulset.DefaultGraceStatusHandler,
		suspension: statefulset.DefaultSuspensionStatusHandler, deletes: statefulset.DefaultDeleteOnSuspendHandler,
	}, []state[*appsv1.StatefulSet]{
		{when: stale, object: object(func(s *appsv1.StatefulSet) { s.Status.ObservedGeneration = 1 })},
		{when: noneReady, object: object(func(s *appsv1.StatefulSet) { s.Status.ReadyReplicas = 0 })},
		{when: someReady, object: object(func(s *appsv1.StatefulSet) { s.Status.ReadyReplicas = 1 })},
		{when: "strategy is not `OnDelete`, a partition, `updatedReplicas` < `replicas` - `partition`", object: object(partitioned)},
		{when: "strategy is not `OnDelete`, no partition, " + notUpdated, object: object(func(s *appsv1.StatefulSet) { s.Status.UpdatedReplicas = 1 })},
		{
			when:   "strategy is not `OnDelete`, no partition, `currentRevision` is not `updateRevision`",
			object: object(func(s *appsv1.StatefulSet) { s.Status.UpdateRevision = "web-2" }),
		},
		{when: notLong, object: object(func(s *appsv1.StatefulSet) { s.Spec.MinReadySeconds, s.Status.AvailableReplicas = 5, 1 })},
		{when: otherwise, object: object(asItIs)},
	}, []state[*appsv1.StatefulSet]{
		{when: stale, object: object(func(s *appsv1.StatefulSet) { s.Status.ObservedGeneration = 1 })},
		{when: running, object: object(asItIs)},
		{when: otherwise, object: object(func(s *appsv1.StatefulSet) { s.Status.Replicas = 0 })},
	})
}

func replicaSetSection(t *testing.T) string {
	t.Helper()
	object := func(change func(*appsv1.ReplicaSet)) *appsv1.ReplicaSet {
		r := &appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(3))}}
		r.Generation = 2
		r.Status = appsv1.ReplicaSetStatus{ObservedGeneration: 2, Replicas: 3, ReadyReplicas: 3, AvailableReplicas: 3}
		return with(r, change)
	}
	asItIs := func(*appsv1.ReplicaSet) {}
	return section(t, "replicaset", handlers[*appsv1.ReplicaSet]{
		status: alive(replicaset.DefaultConvergingStatusHandler), grace: replicaset.DefaultGraceStatusHandler,
		suspension: replicaset.DefaultSuspensionStatusHandler, deletes: replicaset.DefaultDeleteOnSuspendHandler,
	}, []state[*appsv1.ReplicaSet]{
		{when: stale, object: object(func(r *appsv1.ReplicaSet) { r.Status.ObservedGeneration = 1 })},
		{when: noneReady, object: object(func(r *appsv1.ReplicaSet) { r.Status.ReadyReplicas = 0 })},
		{when: someReady, object: object(func(r *appsv1.ReplicaSet) { r.Status.ReadyReplicas = 1 })},
		{when: "`status.replicas` > `replicas`", object: object(func(r *appsv1.ReplicaSet) { r.Status.Replicas = 4 })},
		{when: notLong, object: object(func(r *appsv1.ReplicaSet) { r.Spec.MinReadySeconds, r.Status.AvailableReplicas = 5, 1 })},
		{when: otherwise, object: object(asItIs)},
	}, []state[*appsv1.ReplicaSet]{
		{when: stale, object: object(func(r *appsv1.ReplicaSet) { r.Status.ObservedGeneration = 1 })},
		{when: running, object: object(asItIs)},
		{when: ending, object: object(func(r *appsv1.ReplicaSet) { r.Status.Replicas, r.Status.TerminatingReplicas = 0, new(int32(1)) })},
		{when: otherwise, object: object(func(r *appsv1.ReplicaSet) { r.Status.Replicas = 0 })},
	})
}

func daemonSetSection(t *testing.T) string {
	t.Helper()
	object := func(change func(*appsv1.DaemonSet)) *appsv1.DaemonSet {
		d := &appsv1.DaemonSet{}
		d.Generation = 2
		d.Status = appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 3, NumberReady: 3, UpdatedNumberScheduled: 3}
		return with(d, change)
	}
	return section(t, "daemonset", handlers[*appsv1.DaemonSet]{
		status: alive(daemonset.DefaultConvergingStatusHandler), grace: daemonset.DefaultGraceStatusHandler,
		suspension: daemonset.DefaultSuspensionStatusHandler, deletes: daemonset.DefaultDeleteOnSuspendHandler,
	}, []state[*appsv1.DaemonSet]{
		{when: stale, object: object(func(d *appsv1.DaemonSet) { d.Status.ObservedGeneration = 1 })},
		{when: "`desiredNumberScheduled` is 0", object: object(func(d *appsv1.DaemonSet) {
			d.Status = appsv1.DaemonSetStatus{ObservedGeneration: 2}
		})},
		{when: noneReady, object: object(func(d *appsv1.DaemonSet) { d.Status.NumberReady = 0 })},
		{when: "`numberReady` is not `desiredNumberScheduled`", object: object(func(d *appsv1.DaemonSet) { d.Status.NumberReady = 1 })},
		{
			when:   "strategy is not `OnDelete`, `updatedNumberScheduled` < `desiredNumberScheduled`",
			object: object(func(d *appsv1.DaemonSet) { d.Status.UpdatedNumberScheduled = 1 }),
		},
		{when: otherwise, object: object(func(*appsv1.DaemonSet) {})},
	}, []state[*appsv1.DaemonSet]{{when: always, object: object(func(*appsv1.DaemonSet) {})}})
}

func podSection(t *testing.T) string {
	t.Helper()
	object := func(phase corev1.PodPhase, containers ...corev1.ContainerStatus) *corev1.Pod {
		return &corev1.Pod{Status: corev1.PodStatus{Phase: phase, ContainerStatuses: containers}}
	}
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	terminated := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}
	ready := corev1.ContainerStatus{Name: "web", Ready: true}
	return section(t, "pod", handlers[*corev1.Pod]{
		status: alive(pod.DefaultConvergingStatusHandler), grace: pod.DefaultGraceStatusHandler,
		suspension: pod.DefaultSuspensionStatusHandler, deletes: pod.DefaultDeleteOnSuspendHandler,
	}, []state[*corev1.Pod]{
		{when: "a container waits with `CrashLoopBackOff`, another one is ready", object: object(corev1.PodRunning,
			ready, corev1.ContainerStatus{Name: "db", State: waiting})},
		{when: "a container has ended with another exit code than 0, and is not restarted", object: object(corev1.PodFailed,
			corev1.ContainerStatus{Name: "web", State: terminated})},
		{when: "an init container crashes again while all containers are ready", object: func() *corev1.Pod {
			p := object(corev1.PodRunning, ready)
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "proxy", State: waiting}}
			return p
		}()},
		{when: "`Running`, all containers are ready, also init containers with `restartPolicy: Always`", object: object(corev1.PodRunning, ready)},
		{when: "`Failed`", object: object(corev1.PodFailed)},
		{when: "`Succeeded`", object: object(corev1.PodSucceeded)},
		{when: "updated, `Pending`", object: object(corev1.PodPending), op: concepts.ConvergingOperationUpdated},
		{when: "created, `Pending`", object: object(corev1.PodPending), op: concepts.ConvergingOperationCreated},
		{when: "`Running`, no status of a container", object: object(corev1.PodRunning), op: concepts.ConvergingOperationNone},
		{when: "`Running`, a container is not ready", object: object(corev1.PodRunning, corev1.ContainerStatus{}), op: concepts.ConvergingOperationNone},
		{when: otherwise, object: object(corev1.PodPending), op: concepts.ConvergingOperationNone},
	}, []state[*corev1.Pod]{{when: always, object: object(corev1.PodRunning)}})
}
