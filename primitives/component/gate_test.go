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
	"projection.sh/operator/primitives/feature"
)

type brokenGate struct{}

func (brokenGate) Enabled() (bool, error) { return false, errors.New("boom") }

func TestClosedGateDeletesEverythingManaged(t *testing.T) {
	w := newWorld(t)
	w.applyAs("other", "read", nil)
	parts := func(enabled bool) func(*component.Builder) {
		return func(b *component.Builder) {
			b.WithFeatureGate(feature.NewBooleanGate(enabled)).Suspend(!enabled).
				WithPrerequisite(component.DependsOn("Missing")).
				WithResource(w.stub("read"), component.ReadOnly()).
				WithResource(w.stub("one")).
				WithResource(w.stub("kept"), component.OrphanWhen(!enabled)).
				WithResource(w.stub("old"), component.DeleteWhen(!enabled))
		}
	}
	w.owner.Status.Conditions = []metav1.Condition{{Type: "Missing", Status: metav1.ConditionTrue}}
	require.NoError(t, w.reconcile(parts(true)))
	w.recorded()
	w.owner.Status.Conditions = nil

	require.NoError(t, w.reconcile(parts(false)), "wins over prerequisites and suspension")

	w.requireCondition(metav1.ConditionTrue, component.Disabled, "Component is disabled.")
	w.requireAbsent("one", &corev1.ConfigMap{})
	w.requireAbsent("old", &corev1.ConfigMap{})
	assert.NotNil(t, w.configMap("read"))
	assert.Empty(t, w.configMap("kept").OwnerReferences)
	assert.Equal(t, []string{
		"Normal ResourceDeleted Resource v1/ConfigMap/<ns>/one deleted due to disabled feature gate",
		"Normal ResourceDeleted Resource v1/ConfigMap/<ns>/old deleted due to disabled feature gate",
		"Normal ResourceOrphaned Resource v1/ConfigMap/<ns>/kept orphaned: owner reference removed",
	}, w.recorded())
}

func TestReenabledComponentStartsAfresh(t *testing.T) {
	w := newWorld(t)
	parts := func(enabled bool) func(*component.Builder) {
		return func(b *component.Builder) {
			b.WithFeatureGate(feature.NewBooleanGate(enabled)).WithResource(w.stub("one").blocked("waiting"))
		}
	}
	require.NoError(t, w.reconcile(parts(false)))
	w.requireCondition(metav1.ConditionTrue, component.Disabled, "Component is disabled.")
	require.NoError(t, w.reconcile(parts(true)))
	w.requireCondition(metav1.ConditionFalse, component.GuardBlocked, "waiting")
}

func TestGateThatCannotBeDecided(t *testing.T) {
	w := newWorld(t)
	err := w.reconcile(func(b *component.Builder) { b.WithFeatureGate(brokenGate{}).WithResource(w.stub("one")) })
	require.EqualError(t, err, "boom")
	w.requireCondition(metav1.ConditionFalse, component.FeatureGateError, "boom")
	w.requireAbsent("one", &corev1.ConfigMap{})
}

func TestClosedGateThatCannotDelete(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
	w.intercept(interceptor.Funcs{
		Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error {
			return errors.New("boom")
		},
	})
	err := w.reconcile(func(b *component.Builder) {
		b.WithFeatureGate(feature.NewBooleanGate(false)).WithResource(w.stub("one"))
	})
	require.ErrorContains(t, err, "boom")
	w.requireCondition(metav1.ConditionFalse, component.Error, err.Error())
}

func TestAuxiliaryResourceDoesNotCount(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one").is(concepts.AliveConvergingStatusFailing, "bad"), component.Auxiliary())
	}))
	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
}
