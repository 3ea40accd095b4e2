package component_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

// offline is a client that knows types but reaches no server: any request is a panic.
type offline struct{ client.Client }

func (offline) RESTMapper() meta.RESTMapper { return meta.NewDefaultRESTMapper(nil) }

func (offline) Scheme() *runtime.Scheme { return scheme.Scheme }

// reconcileOffline reconciles a component of unowned resources that pretends to apply them.
func reconcileOffline(t testing.TB, part *component.Component, owner component.OperatorCRD) error {
	t.Helper()
	return part.Reconcile(t.Context(), component.ReconcileContext{Client: offline{}, Owner: owner, Applier: pretended})
}

// pretended finds everything as it is wanted.
var pretended = component.ApplierFunc(func(context.Context, component.ApplyRequest) (concepts.ConvergingOperation, error) {
	return concepts.ConvergingOperationNone, nil
})

// ownerWas returns an owner whose Ready condition got that reason some time ago.
func ownerWas(reason component.Status, ago time.Duration) *App {
	status := metav1.ConditionFalse
	if reason.Healthy() || reason == component.Suspended || reason == component.Disabled {
		status = metav1.ConditionTrue
	}
	return &App{
		ObjectMeta: metav1.ObjectMeta{Name: "owner", Generation: 3},
		Status: AppStatus{Conditions: []metav1.Condition{{
			Type: string(ready), Status: status, Reason: string(reason), Message: "before",
			LastTransitionTime: metav1.NewTime(time.Now().Add(-ago)),
		}}},
	}
}

func requireReady(t testing.TB, owner *App, status metav1.ConditionStatus, reason component.Status, message string) {
	t.Helper()
	condition := meta.FindStatusCondition(owner.Status.Conditions, string(ready))
	require.NotNil(t, condition)
	require.Equal(t, []string{string(status), string(reason), message},
		[]string{string(condition.Status), condition.Reason, condition.Message})
	require.Equal(t, owner.Generation, condition.ObservedGeneration)
}
