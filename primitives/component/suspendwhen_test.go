package component_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

func TestOneResourceAtRest(t *testing.T) {
	w := newWorld(t)
	reconcile := func(rests bool, worker component.Resource) {
		t.Helper()
		require.NoError(t, w.reconcile(func(b *component.Builder) {
			b.WithResource(worker, component.SuspendWhen(rests), component.SuspendWhen(false)).
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

func TestResourceAtRestIsDeleted(t *testing.T) {
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

func TestForeignResourceAtRestIsLeftAlone(t *testing.T) {
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

func TestErrorsOfResourcesAtRest(t *testing.T) {
	w := newWorld(t)
	unarmed := w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, "")
	unarmed.failure = errBoom
	err := w.reconcile(func(b *component.Builder) { b.WithResource(unarmed, component.SuspendWhen(true)) })
	require.EqualError(t, err, "failed to suspend resource: boom")
}

func TestSuspensionOfTheComponentIncludesTheResourceAtRest(t *testing.T) {
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
