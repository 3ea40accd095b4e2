package health

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/daemonset"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/job"
	"projection.sh/operator/primitives/pod"
	"projection.sh/operator/primitives/pvc"
	"projection.sh/operator/primitives/replicaset"
	"projection.sh/operator/primitives/service"
	"projection.sh/operator/primitives/statefulset"
)

// apps is the group of the kinds that make pods.
const apps = "apps"

// byKind are the kinds for which kstatus has rules of their own. In any version of such a kind, the fields are the same.
var byKind = map[schema.GroupKind]func(*unstructured.Unstructured) Verdict{
	{Group: apps, Kind: "Deployment"}:  alive(deployment.DefaultConvergingStatusHandler),
	{Group: apps, Kind: "StatefulSet"}: alive(statefulset.DefaultConvergingStatusHandler),
	{Group: apps, Kind: "ReplicaSet"}:  alive(replicaset.DefaultConvergingStatusHandler),
	{Group: apps, Kind: "DaemonSet"}:   alive(daemonset.DefaultConvergingStatusHandler),
	{Kind: "Pod"}:                      alive(pod.DefaultConvergingStatusHandler),
	{Group: "batch", Kind: "Job"}:      typed(ofJob),
	{Kind: "Service"}:                  operational(service.DefaultOperationalStatusHandler),
	{Kind: "PersistentVolumeClaim"}:    operational(pvc.DefaultOperationalStatusHandler),
}

// typed returns a function that converts the object. One that cannot be converted is not healthy.
func typed[T any](judge func(*T) Verdict) func(*unstructured.Unstructured) Verdict {
	return func(object *unstructured.Unstructured) Verdict {
		converted := new(T)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, converted); err != nil {
			return unhealthy("its status cannot be read")
		}
		return judge(converted)
	}
}

// alive returns the verdict of a primitive that runs on and on.
func alive[T any](handler func(concepts.ConvergingOperation, *T) (concepts.AliveStatusWithReason, error)) func(*unstructured.Unstructured) Verdict {
	return typed(func(object *T) Verdict {
		status, err := handler(concepts.ConvergingOperationNone, object)
		return verdictOf(status.Status == concepts.AliveConvergingStatusHealthy, status.Reason, err)
	})
}

// operational returns the verdict of a primitive that another controller makes usable.
func operational[T any](
	handler func(concepts.ConvergingOperation, *T) (concepts.OperationalStatusWithReason, error),
) func(*unstructured.Unstructured) Verdict {
	return typed(func(object *T) Verdict {
		status, err := handler(concepts.ConvergingOperationNone, object)
		return verdictOf(status.Status == concepts.OperationalStatusOperational, status.Reason, err)
	})
}

// ofJob returns that a Job is healthy once it is complete.
func ofJob(object *batchv1.Job) Verdict {
	status, err := job.DefaultConvergingStatusHandler(concepts.ConvergingOperationNone, object)
	reason, _, _ := strings.Cut(status.Reason, ": ") // what follows is the message of a condition
	return verdictOf(status.Status == concepts.CompletionStatusCompleted, reason, err)
}

func verdictOf(isHealthy bool, reason string, err error) Verdict {
	switch {
	case err != nil:
		return unhealthy("its status cannot be read")
	case isHealthy:
		return healthy()
	default:
		return Verdict{Reason: reason}
	}
}
