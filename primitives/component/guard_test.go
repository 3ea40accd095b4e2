package component_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

func TestBlockedGuardHoldsUpItsResourceAndAllAfterIt(t *testing.T) {
	w := newWorld(t)
	parts := func(gate component.Resource) func(*component.Builder) {
		return func(b *component.Builder) {
			b.WithResource(w.stub("one")).WithResource(gate).WithResource(w.stub("three"))
		}
	}
	require.NoError(t, w.reconcile(parts(w.stub("two").blocked("waiting for a key"))))

	w.requireCondition(metav1.ConditionFalse, component.GuardBlocked, "waiting for a key")
	assert.NotNil(t, w.configMap("one"))
	w.requireAbsent("two", &corev1.ConfigMap{})
	w.requireAbsent("three", &corev1.ConfigMap{})

	require.NoError(t, w.reconcile(parts(w.stub("two"))))

	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
	assert.NotNil(t, w.configMap("three"))
}

func TestGuardOfAuxiliaryResourceCounts(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one").blocked("waiting"), component.Auxiliary())
	}))
	w.requireCondition(metav1.ConditionFalse, component.GuardBlocked, "waiting")
}

func TestDeletionsHappenBehindABlockedGuard(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("old")) }))
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one").blocked("waiting")).WithResource(w.stub("old"), component.Delete())
	}))
	w.requireAbsent("old", &corev1.ConfigMap{})
}

func TestErrorOfAGuard(t *testing.T) {
	w := newWorld(t)
	resource := &guarded{stub: w.stub("one"), guard: func() (concepts.GuardStatusWithReason, error) {
		return concepts.GuardStatusWithReason{}, errors.New("boom")
	}}
	err := w.reconcile(func(b *component.Builder) { b.WithResource(resource) })
	require.EqualError(t, err, "failed to evaluate guard for resource "+resource.Identity()+": boom")
	w.requireCondition(metav1.ConditionFalse, component.Error, err.Error())
	w.requireAbsent("one", &corev1.ConfigMap{})
}

func TestDataFlowsFromExtractionToGuardAndMutationInOneReconcile(t *testing.T) {
	w := newWorld(t)
	var steps []string
	var uid string
	source := &extracting{stub: w.stub("source"), extract: func(applied client.Object) error {
		steps = append(steps, "extract source")
		uid = string(applied.GetUID())
		return nil
	}}
	sink := &guarded{stub: w.stub("sink"), guard: func() (concepts.GuardStatusWithReason, error) {
		steps = append(steps, "guard sink")
		if uid == "" {
			return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked}, nil
		}
		return concepts.GuardStatusWithReason{Status: concepts.GuardStatusUnblocked}, nil
	}}
	sink.mutate = func(object client.Object) error {
		steps = append(steps, "mutate sink")
		object.(*corev1.ConfigMap).Data = map[string]string{"source": uid}
		return nil
	}

	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(source).WithResource(sink) }))

	assert.Equal(t, []string{"extract source", "guard sink", "mutate sink"}, steps)
	assert.Equal(t, string(w.configMap("source").UID), w.configMap("sink").Data["source"])
}

func TestErrorOfAnExtraction(t *testing.T) {
	w := newWorld(t)
	resource := &extracting{stub: w.stub("one"), extract: func(client.Object) error { return errors.New("boom") }}
	err := w.reconcile(func(b *component.Builder) { b.WithResource(resource).WithResource(w.stub("two")) })
	require.EqualError(t, err, "failed to extract data from resource "+resource.Identity()+": boom")
	w.requireAbsent("two", &corev1.ConfigMap{})
}

func TestErrorOfAConvergingStatus(t *testing.T) {
	w := newWorld(t)
	resource := &alive{stub: w.stub("one"), status: func(concepts.ConvergingOperation) (concepts.AliveStatusWithReason, error) {
		return concepts.AliveStatusWithReason{}, errors.New("boom")
	}}
	err := w.reconcile(func(b *component.Builder) { b.WithResource(resource) })
	require.EqualError(t, err, "failed to determine converging status of resource "+resource.Identity()+": boom")
}
