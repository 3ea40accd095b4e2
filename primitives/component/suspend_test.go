package component_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

func (w *world) suspend(resources ...component.Resource) error {
	w.Helper()
	return w.reconcile(func(b *component.Builder) {
		b.Suspend(true)
		for _, resource := range resources {
			b.WithResource(resource)
		}
	})
}

func TestSuspensionCreatesTheSuspendedForm(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.suspend(w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, "asleep")))
	assert.Equal(t, map[string]string{"suspended": "true"}, w.configMap("one").Data)
	w.requireCondition(metav1.ConditionTrue, component.Suspended, "All resources are suspended.")
}

func TestSuspensionLeavesAloneWhatCannotBeSuspended(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.Suspend(true).
			WithResource(w.stub("plain").blocked("not asked")).
			WithResource(w.stub("read"), component.ReadOnly()).
			WithResource(w.stub("old"), component.Delete())
	}))
	w.requireAbsent("plain", &corev1.ConfigMap{})
	w.requireCondition(metav1.ConditionTrue, component.Suspended, "All resources are suspended.")
}

func TestResumedComponentAppliesTheBaseline(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.suspend(w.stub("one", "key", "value").suspendsAs(concepts.SuspensionStatusSuspended, "")))
	awake := w.stub("one", "key", "value").is(concepts.AliveConvergingStatusScaling, "0 of 1")
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.Suspend(false).WithResource(awake) }))
	assert.Equal(t, map[string]string{"key": "value"}, w.configMap("one").Data)
	w.requireCondition(metav1.ConditionFalse, component.AliveScaling, "0 of 1")
}

func TestSlowestSuspensionGoverns(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.suspend(
		w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, "asleep"),
		w.stub("two").suspendsAs(concepts.SuspensionStatusSuspending, "2 left"),
		w.stub("three").suspendsAs(concepts.SuspensionStatusSuspending, "3 left"),
	))
	w.requireCondition(metav1.ConditionFalse, component.Suspending, "2 left; 3 left")

	require.NoError(t, w.suspend(
		w.stub("two").suspendsAs(concepts.SuspensionStatusSuspending, "2 left"),
		w.stub("three").suspendsAs(concepts.SuspensionStatusPending, "not begun"),
	))
	w.requireCondition(metav1.ConditionFalse, component.PendingSuspension, "not begun")
}

func TestDeletionOnSuspension(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
	w.recorded()
	leaving := w.stub("one").suspendsAs(concepts.SuspensionStatusSuspending, "1 left")
	leaving.deletes = true
	require.NoError(t, w.suspend(leaving))
	assert.NotNil(t, w.configMap("one"), "not before it is suspended")

	left := w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, "asleep")
	left.deletes = true
	require.NoError(t, w.suspend(left))
	w.requireAbsent("one", &corev1.ConfigMap{})
	assert.Equal(t, []string{
		"Normal UpdatedConfigMap Updated ConfigMap 'one'",
		"Normal ResourceDeleted Resource v1/ConfigMap/<ns>/one deleted on suspension",
	}, w.recorded())

	part := w.build(func(b *component.Builder) { b.Suspend(true).WithResource(left) })
	result, err := part.Converge(t.Context(), w.context())
	require.NoError(t, err)
	assert.Equal(t, "Resource v1/ConfigMap/"+w.namespace+"/one already deleted.", result.Resources[0].Reason)
	w.requireAbsent("one", &corev1.ConfigMap{})
	assert.Empty(t, w.recorded())
}

func TestSuspensionGoesOnAfterErrors(t *testing.T) {
	w := newWorld(t)
	boom := errors.New("boom")
	unarmed := w.stub("unarmed").suspendsAs(concepts.SuspensionStatusSuspended, "")
	unarmed.failure = boom
	objectless := w.stub("objectless").suspendsAs(concepts.SuspensionStatusSuspended, "")
	objectless.objectErr = boom
	unmutable := w.stub("unmutable").suspendsAs(concepts.SuspensionStatusSuspended, "")
	unmutable.mutate = func(client.Object) error { return boom }
	fine := w.stub("fine").suspendsAs(concepts.SuspensionStatusSuspended, "")

	err := w.suspend(unarmed, objectless, unmutable, fine)

	require.EqualError(t, err, "failed to suspend resource: boom\n"+
		"failed to get object on suspension: boom\n"+
		replaceID("failed to create or update resource <id> on suspension: failed to mutate resource <id>: boom", unmutable))
	assert.Equal(t, string(component.Error), w.condition().Reason)
	assert.Equal(t, "true", w.configMap("fine").Data["suspended"])
}

func TestUnknownExistenceOnSuspension(t *testing.T) {
	w := newWorld(t)
	w.intercept(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errors.New("boom")
		},
	})
	resource := w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, "")
	resource.deletes = true
	require.EqualError(t, w.suspend(resource), replaceID("failed to check existence of resource <id> on suspension: boom", resource))
}

type mute struct{ *suspendable }

func (mute) SuspensionStatus() (concepts.SuspensionStatusWithReason, error) {
	return concepts.SuspensionStatusWithReason{}, errors.New("boom")
}

func TestUnknownSuspensionStatus(t *testing.T) {
	w := newWorld(t)
	resource := mute{w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, "")}
	require.EqualError(t, w.suspend(resource), replaceID("failed to retrieve suspension status for resource <id>: boom", resource))
}

func TestForeignObjectIsNotSuspended(t *testing.T) {
	w := newWorld(t)
	w.ownedByOther()
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.Suspend(true).WithResource(w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, ""), component.BlockOnForeignController())
	}))
	w.requireCondition(metav1.ConditionFalse, component.PendingSuspension, "controlled by App other")
	assert.Equal(t, "theirs", w.configMap("one").Data["key"])
}

// dozing is suspendable and extracts.
type dozing struct {
	*suspendable
	extracted *bool
}

func (d dozing) ExtractData() error {
	*d.extracted = d.applied.GetUID() != ""
	return nil
}

func TestSuspendedResourcesExtractAndOthersDoNot(t *testing.T) {
	w := newWorld(t)
	var extracted bool
	require.NoError(t, w.suspend(
		w.unread("static"),
		dozing{w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, ""), &extracted},
	))
	assert.True(t, extracted, "from the answer of the server")
}

func TestBlockedErrorOfTheApplierHoldsUpTheSuspension(t *testing.T) {
	w := newWorld(t)
	applier := component.ApplierFunc(func(context.Context, component.ApplyRequest) (concepts.ConvergingOperation, error) {
		return concepts.ConvergingOperationNone, &component.BlockedError{Reason: "somebody else's"}
	})
	result, err := w.reconcileWith(applier, func(b *component.Builder) {
		b.Suspend(true).WithResource(w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, ""))
	})
	require.NoError(t, err)
	_, blocked := result.Blocked()
	assert.False(t, blocked, "it is pending")
	w.requireCondition(metav1.ConditionFalse, component.PendingSuspension, "somebody else's")
}
