package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"

	"projection.sh/operator/primitives/component"
)

func TestRollout(t *testing.T) {
	w := newWorld(t)
	w.running()
	w.edit(version("2.2.0"))
	w.reconcile()
	assert.Equal(t, "waiting for the migration to 2.2.0", w.says(v1.WebReady, metav1.ConditionFalse, component.GuardBlocked))
	assert.Equal(t, "registry.example.com/web:2.1.0", w.deployment().Spec.Template.Spec.Containers[0].Image)
	began := w.condition(v1.WebReady).LastTransitionTime

	assert.Len(t, w.jobs(), 2, "the earlier migration is known until the new one is complete")
	w.finishMigration()
	w.reconcile()
	require.Len(t, w.jobs(), 1)
	assert.Contains(t, w.jobs()[0].Name, "web-migrate-2-2-0-")
	assert.Equal(t, "registry.example.com/web:2.2.0", w.deployment().Spec.Template.Spec.Containers[0].Image)
	w.says(v1.WebReady, metav1.ConditionFalse, component.AliveUpdating)
	for _, step := range []struct {
		updated int32
		message string
	}{
		{0, "Waiting for rollout: 0/2 replicas updated"},
		{1, "Waiting for rollout: 1/2 replicas updated"},
	} {
		w.stamp(2, step.updated, 2) // all old and new pods are ready
		w.reconcile()
		assert.Equal(t, step.message, w.says(v1.WebReady, metav1.ConditionFalse, component.AliveUpdating))
		w.says(v1.Ready, metav1.ConditionFalse, component.AliveUpdating)
	}
	assert.Equal(t, began, w.condition(v1.WebReady).LastTransitionTime, "it has not been ready meanwhile")
	w.stamp(2, 2, 2)
	w.reconcile()
	w.says(v1.WebReady, metav1.ConditionTrue, component.Healthy)
	w.says(v1.Ready, metav1.ConditionTrue, component.Healthy)
}

// TestGracePeriod lets the grace period end by an earlier time of the last transition.
func TestGracePeriod(t *testing.T) {
	w := newWorld(t)
	w.reconciler.GracePeriod = time.Hour
	w.create()
	w.reconcile()
	w.finishMigration()
	result := w.reconcile()
	w.says(v1.WebReady, metav1.ConditionFalse, component.AliveCreating)
	require.Positive(t, result.RequeueAfter)

	live := w.app()
	condition := meta.FindStatusCondition(live.Status.Conditions, string(v1.WebReady))
	condition.LastTransitionTime = metav1.NewTime(time.Now().Add(-2 * time.Hour))
	w.writeStatus(live)
	result = w.reconcile()
	assert.Equal(t, "Component is down: No replicas are ready", w.says(v1.WebReady, metav1.ConditionFalse, component.Down))
	assert.Zero(t, result.RequeueAfter, "now only events change something")
	w.stamp(2, 2, 1)
	w.reconcile()
	assert.Equal(t, "Component is degraded: Deployment partially available", w.says(v1.WebReady, metav1.ConditionFalse, component.Degraded))
	w.stamp(2, 2, 2)
	w.reconcile()
	w.says(v1.WebReady, metav1.ConditionTrue, component.Healthy)
}
