package app_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
)

func TestStatusThatSomebodyElseWritesMeanwhileStays(t *testing.T) {
	w := newWorld(t)
	w.create()
	writes := 0
	w.reconciler.Client = interceptor.NewClient(w.client, interceptor.Funcs{SubResourceUpdate: func(
		ctx context.Context, c client.Client, resource string, object client.Object, opts ...client.SubResourceUpdateOption,
	) error {
		if writes++; writes == 1 {
			live := w.app()
			meta.SetStatusCondition(&live.Status.Conditions, metav1.Condition{
				Type: "BackedUp", Status: metav1.ConditionTrue, Reason: "Nightly",
			})
			w.writeStatus(live)
		}
		return c.SubResource(resource).Update(ctx, object, opts...)
	}})
	w.reconcile()
	assert.Equal(t, 2, writes, "one conflict")
	require.Equal(t, "Nightly", w.condition("BackedUp").Reason)
	w.says(v1.ConfigurationReady, metav1.ConditionTrue, component.Healthy)
	w.says(v1.WebReady, metav1.ConditionFalse, component.PrerequisiteNotMet)
	assert.Equal(t, metav1.ConditionFalse, w.condition(v1.Ready).Status, "it belongs to no component")
	assert.Equal(t, w.app().Generation, w.app().Status.ObservedGeneration)
}
