package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/health"
)

const succeeded = "Pod has completed successfully"

// DefaultConvergingStatusHandler tells how far a Pod is. It is healthy when it runs and all of its containers are ready, or when it
// has succeeded; it is failing while a container, or an init container, crashes. An init container with restartPolicy: Always, which
// runs beside the others, counts as a container.
func DefaultConvergingStatusHandler(op concepts.ConvergingOperation, object *corev1.Pod) (concepts.AliveStatusWithReason, error) {
	status, reason := converging(op, object)
	return concepts.AliveStatusWithReason{Status: status, Reason: reason}, nil
}

func converging(op concepts.ConvergingOperation, pod *corev1.Pod) (concepts.AliveConvergingStatus, string) {
	crash := crashOf(pod.Status)
	running := pod.Status.Phase == corev1.PodRunning
	switch {
	case crash != "":
		return concepts.AliveConvergingStatusFailing, crash
	case running && allReady(pod):
		return concepts.AliveConvergingStatusHealthy, "Pod is running and all containers are ready"
	case pod.Status.Phase == corev1.PodFailed:
		return concepts.AliveConvergingStatusFailing, "Pod has failed"
	case pod.Status.Phase == corev1.PodSucceeded:
		return concepts.AliveConvergingStatusHealthy, succeeded
	case op == concepts.ConvergingOperationUpdated:
		return concepts.AliveConvergingStatusUpdating, "Pod is being recreated"
	case op == concepts.ConvergingOperationCreated:
		return concepts.AliveConvergingStatusCreating, "Pod is starting"
	case running:
		return concepts.AliveConvergingStatusCreating, notReady
	default:
		return concepts.AliveConvergingStatusCreating, "Pod is pending"
	}
}

const notReady = "Pod running but not all containers ready"

// crashOf says which container crashes, or "". Init containers are asked first, as they run first.
func crashOf(pod corev1.PodStatus) string {
	for _, container := range slices.Concat(pod.InitContainerStatuses, pod.ContainerStatuses) {
		if waiting := container.State.Waiting; waiting != nil && waiting.Reason == "CrashLoopBackOff" {
			return "Container " + container.Name + " is in CrashLoopBackOff"
		}
		if terminated := container.State.Terminated; terminated != nil && terminated.ExitCode != 0 {
			return "Container " + container.Name + " terminated with error"
		}
	}
	return ""
}

// allReady reports whether the pod has containers, and all of them and all init containers that run beside them are ready.
func allReady(pod *corev1.Pod) bool {
	beside := slices.DeleteFunc(slices.Clone(pod.Status.InitContainerStatuses), func(status corev1.ContainerStatus) bool {
		return !runsOn(pod.Spec.InitContainers, status.Name)
	})
	return len(pod.Status.ContainerStatuses) > 0 &&
		!slices.ContainsFunc(slices.Concat(pod.Status.ContainerStatuses, beside), func(status corev1.ContainerStatus) bool {
			return !status.Ready
		})
}

// runsOn reports whether the init container of that name is one that is restarted, and so runs as long as the pod.
func runsOn(init []corev1.Container, name string) bool {
	return slices.ContainsFunc(init, func(container corev1.Container) bool {
		return container.Name == name && ptr.Deref(container.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways
	})
}

// DefaultGraceStatusHandler tells how bad it is that a Pod is not further: it is down unless it runs or has succeeded, and degraded
// while a container is not ready.
func DefaultGraceStatusHandler(object *corev1.Pod) (concepts.GraceStatusWithReason, error) {
	status, reason := grace(object)
	return concepts.GraceStatusWithReason{Status: status, Reason: reason}, nil
}

func grace(pod *corev1.Pod) (concepts.GraceStatus, string) {
	crash := crashOf(pod.Status)
	switch {
	case pod.Status.Phase == corev1.PodSucceeded && crash == "":
		return concepts.GraceStatusHealthy, succeeded
	case pod.Status.Phase != corev1.PodRunning:
		return concepts.GraceStatusDown, "Pod is not running"
	case len(pod.Status.ContainerStatuses) == 0:
		return concepts.GraceStatusDegraded, "Pod running but container readiness unknown"
	case !allReady(pod):
		return concepts.GraceStatusDegraded, notReady
	case crash != "":
		return concepts.GraceStatusDegraded, crash
	default:
		return concepts.GraceStatusHealthy, "Pod running and all containers ready"
	}
}

// DefaultSuspendMutationHandler changes nothing: a Pod is deleted.
func DefaultSuspendMutationHandler(*Mutator) error { return nil }

// DefaultSuspensionStatusHandler is at the end: a Pod is deleted.
func DefaultSuspensionStatusHandler(*corev1.Pod) (concepts.SuspensionStatusWithReason, error) {
	return health.Suspended("Pod deleted on suspend")
}

// DefaultDeleteOnSuspendHandler reports that a Pod is deleted when it is suspended.
func DefaultDeleteOnSuspendHandler(*corev1.Pod) bool { return true }
