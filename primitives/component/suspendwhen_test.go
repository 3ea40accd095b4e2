package component_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/job"
)

func TestOneResourceIsSuspended(t *testing.T) {
	w := newWorld(t)
	reconcile := func(suspend bool, worker component.Resource) {
		t.Helper()
		require.NoError(t, w.reconcile(func(b *component.Builder) {
			b.WithResource(worker, component.SuspendWhen(suspend), component.SuspendWhen(false)).
				WithResource(w.stub("server", "key", "value").is(concepts.AliveConvergingStatusHealthy, "up"))
		}))
	}
	worker := func(status concepts.SuspensionStatus, reason string) component.Resource {
		return w.stub("worker", "key", "value").suspendsAs(status, reason)
	}

	reconcile(true, worker(concepts.SuspensionStatusSuspending, "1 left"))
	w.requireCondition(metav1.ConditionFalse, component.AliveScaling, "1 left")
	assert.Equal(t, map[string]string{"suspended": "true"}, w.configMap("worker").Data)
	assert.Equal(t, map[string]string{"key": "value"}, w.configMap("server").Data, "the others go on")

	reconcile(true, worker(concepts.SuspensionStatusSuspended, "asleep"))
	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")

	reconcile(false, worker(concepts.SuspensionStatusSuspended, "not asked"))
	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
	assert.Equal(t, map[string]string{"key": "value"}, w.configMap("worker").Data)
}

func TestOneResourceIsDeletedOnSuspension(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
	w.recorded()
	for _, want := range [][]string{
		{
			"Normal UpdatedConfigMap Updated ConfigMap 'one'",
			"Normal ResourceDeleted Resource v1/ConfigMap/<ns>/one deleted on suspension",
		},
		{},
	} {
		leaving := w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, "")
		leaving.deletes = true
		part := w.build(func(b *component.Builder) { b.WithResource(leaving, component.SuspendWhen(true)) })
		result, err := part.Converge(t.Context(), w.context())
		require.NoError(t, err)
		assert.Equal(t, component.Suspended, result.Resources[0].Status)
		w.requireAbsent("one", &corev1.ConfigMap{})
		assert.Equal(t, want, w.recorded())
	}
}

func TestOneSuspendedResourceIsNotTakenFromAnotherController(t *testing.T) {
	w := newWorld(t)
	w.ownedByOther()
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, ""),
			component.SuspendWhen(true), component.BlockOnForeignController()).WithResource(w.stub("later"))
	}))
	w.requireCondition(metav1.ConditionFalse, component.GuardBlocked, "controlled by App other")
	w.requireAbsent("later", &corev1.ConfigMap{})
	assert.Equal(t, "theirs", w.configMap("one").Data["key"])
}

// An Applier that makes a suspended resource wait has the effect of a guard that blocks.
func TestOneSuspendedResourceHasToWait(t *testing.T) {
	w := newWorld(t)
	var asked []string
	busy := component.ApplierFunc(func(_ context.Context, req component.ApplyRequest) (concepts.ConvergingOperation, error) {
		asked = append(asked, req.Desired.GetName())
		req.Report("detail")
		return concepts.ConvergingOperationNone, fmt.Errorf("apply: %w", &component.BlockedError{Reason: "the namespace is busy"})
	})
	result, err := w.reconcileWith(busy, func(b *component.Builder) {
		b.WithResource(w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, ""), component.SuspendWhen(true)).
			WithResource(w.stub("later"))
	})
	require.NoError(t, err)
	w.requireCondition(metav1.ConditionFalse, component.GuardBlocked, "the namespace is busy")
	blocked, found := result.Blocked()
	require.True(t, found)
	assert.Equal(t, "detail", blocked.Detail)
	assert.Equal(t, []string{"one"}, asked)
}

// A resource that SuspendWhen has deleted has no data.
func TestDataOfOneResourceThatIsDeletedOnSuspension(t *testing.T) {
	w := newWorld(t)
	hash := concepts.NewData[string]("hash")
	worker := job.NewBuilder(&batchv1.Job{ObjectMeta: w.meta("worker"), Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "worker", Image: "worker"}}},
	}}})
	job.ExtractInto(worker, hash, func(j batchv1.Job) (string, error) { return string(j.UID), nil })
	resource, err := worker.Build()
	require.NoError(t, err)
	later := func() *configmap.Builder { return configmap.NewBuilder(&corev1.ConfigMap{ObjectMeta: w.meta("later")}) }
	for want, reader := range map[component.Status]*configmap.Builder{
		component.GuardBlocked: later().WithDataGuard(hash), component.Healthy: later().WithOptionalData(hash),
	} {
		reads, err := reader.Build()
		require.NoError(t, err)
		require.NoError(t, w.reconcile(func(b *component.Builder) {
			b.WithResource(resource, component.SuspendWhen(true)).WithResource(reads)
		}))
		assert.Equal(t, string(want), w.condition().Reason)
	}
}

func TestErrorsOfOneSuspendedResource(t *testing.T) {
	w := newWorld(t)
	unarmed := w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, "")
	unarmed.failure = errBoom
	err := w.reconcile(func(b *component.Builder) { b.WithResource(unarmed, component.SuspendWhen(true)) })
	require.EqualError(t, err, "failed to suspend resource: boom")
}

func TestSuspensionOfTheComponentIncludesTheSuspendedResource(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.Suspend(true).WithResource(w.stub("one").suspendsAs(concepts.SuspensionStatusSuspending, "1 left"), component.SuspendWhen(true))
	}))
	w.requireCondition(metav1.ConditionFalse, component.Suspending, "1 left")
}

func TestReasonOfASuspension(t *testing.T) {
	w := newWorld(t)
	for status, want := range map[concepts.SuspensionStatus]string{
		concepts.SuspensionStatusSuspended:  "All resources are suspended: the license has expired",
		concepts.SuspensionStatusSuspending: "1 left",
	} {
		require.NoError(t, w.reconcile(func(b *component.Builder) {
			b.Suspend(true).SuspendReason("the license has expired").WithResource(w.stub("one").suspendsAs(status, "1 left"))
		}))
		assert.Equal(t, want, w.condition().Message)
	}
}

// keeping deletes its object on suspension unless somebody has marked it as finished.
type keeping struct{ *suspendable }

func (k keeping) DeleteOnSuspend() bool {
	applied, ok := k.applied.(*corev1.ConfigMap)
	return !ok || applied.Data["finished"] == ""
}

func TestDecisionToDeleteIsAskedAgainWithTheLiveObject(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"finished", "running"} {
		require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub(name)) }))
	}
	w.applyAs("someone", "finished", map[string]string{"finished": "true"})
	require.NoError(t, w.suspend(
		keeping{w.stub("finished").suspendsAs(concepts.SuspensionStatusSuspended, "")},
		keeping{w.stub("running").suspendsAs(concepts.SuspensionStatusSuspended, "")},
	))
	assert.Equal(t, "true", w.configMap("finished").Data["finished"])
	w.requireAbsent("running", &corev1.ConfigMap{})
}
