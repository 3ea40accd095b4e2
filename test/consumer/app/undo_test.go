package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
)

func TestMutationThatIsNotForTheAppAnyMoreIsUndone(t *testing.T) {
	w := newWorld(t)
	w.running(func(s *v1.WebAppSpec) { s.Tracing = true })
	live := w.deployment()
	require.Len(t, live.Spec.Template.Spec.Containers, 2)
	live.Labels["team"] = "shop"
	require.NoError(t, w.client.Update(t.Context(), live, client.FieldOwner("somebody")))

	w.edit(func(s *v1.WebAppSpec) { s.Tracing = false })
	w.reconcile()
	live = w.deployment()
	require.Len(t, live.Spec.Template.Spec.Containers, 1)
	assert.Equal(t, "web", live.Spec.Template.Spec.Containers[0].Name)
	assert.Equal(t, "shop", live.Labels["team"], "what somebody else has set")
}

func TestDriftIsUndone(t *testing.T) {
	w := newWorld(t)
	w.running()
	live := w.deployment()
	live.Spec.Replicas = new(int32(7))
	live.Spec.Template.Spec.Containers[0].Image = "registry.example.com/other"
	require.NoError(t, w.client.Update(t.Context(), live, client.FieldOwner("somebody")))
	w.reconcile()
	assert.Equal(t, int32(2), *w.deployment().Spec.Replicas)
	assert.Equal(t, "registry.example.com/web:2.1.0", w.deployment().Spec.Template.Spec.Containers[0].Image)
}

func TestAutoscaling(t *testing.T) {
	w := newWorld(t)
	w.running()
	w.edit(autoscaled)
	w.reconcile()
	assert.Contains(t, strings.Join(w.eventsSoFar(), "\n"), "CreatedHorizontalPodAutoscaler")
	w.says(v1.WebReady, metav1.ConditionFalse, component.AliveUpdating)
	for _, entry := range w.deployment().ManagedFields {
		if entry.Operation == metav1.ManagedFieldsOperationApply {
			assert.NotContains(t, entry.FieldsV1.GetRawString(), `"f:replicas"`, "the operator does not say how many pods there are")
		}
	}

	w.autoscale(4)
	w.rollOut()
	for range 10 {
		w.reconcile()
		assert.Equal(t, int32(4), *w.deployment().Spec.Replicas, "the autoscaler decides")
	}
	w.says(v1.Ready, metav1.ConditionTrue, component.Healthy)

	w.eventsSoFar()
	w.edit(func(s *v1.WebAppSpec) { s.Autoscaling = nil })
	w.reconcile()
	w.absent(&autoscalingv2.HorizontalPodAutoscaler{}, "web")
	assert.Contains(t, strings.Join(w.eventsSoFar(), "\n"), component.EventReasonDeleted)
	assert.Equal(t, int32(2), *w.deployment().Spec.Replicas, "the app decides again")
}

func TestAutoscalerOfAUserStays(t *testing.T) {
	w := newWorld(t)
	theirs := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "web"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "other"},
			MaxReplicas:    3,
		},
	}
	require.NoError(t, w.client.Create(t.Context(), theirs))
	w.running()
	assert.Equal(t, theirs.ResourceVersion, w.autoscaler().ResourceVersion)
}
