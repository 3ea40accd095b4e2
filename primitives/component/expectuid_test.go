package component_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

func TestExpectedObjectIsApplied(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one", "key", "1"), component.ExpectUID(""))
	}), "an empty uid has no effect")
	uid := w.configMap("one").UID
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one", "key", "2"), component.ExpectUID(uid))
	}))
	assert.Equal(t, "2", w.configMap("one").Data["key"])
	assert.Equal(t, []string{
		"Normal CreatedConfigMap Created ConfigMap 'one'", "Normal UpdatedConfigMap Updated ConfigMap 'one'",
	}, w.recorded())
}

func TestAnotherThanTheExpectedObjectIsLeftAlone(t *testing.T) {
	for name, again := range map[string]bool{"gone": false, "another one": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.applyAs("someone", "one", map[string]string{"key": "read"})
			read := w.configMap("one")
			require.NoError(t, w.client.Delete(t.Context(), read))
			if again {
				w.applyAs("someone", "one", map[string]string{"key": "new"})
			}
			resource := w.stub("one", "key", "read")
			expected := component.ExpectUID(read.UID)
			recreate := component.RecreateOnImmutable() // does not matter

			err := w.reconcile(func(b *component.Builder) { b.WithResource(resource, expected, recreate) })

			assert.Equal(t, !again, apierrors.IsConflict(err))
			require.ErrorContains(t, err, replaceID("resource <id> is no longer the object that was read: ", resource))
			assert.Empty(t, w.recorded())
			asleep := resource.suspendsAs(concepts.SuspensionStatusSuspended, "")
			err = w.reconcile(func(b *component.Builder) { b.Suspend(true).WithResource(asleep, expected) })
			require.ErrorContains(t, err, "is no longer the object that was read: ")
			if again {
				assert.Equal(t, "new", w.configMap("one").Data["key"])
				return
			}
			w.requireAbsent("one", &corev1.ConfigMap{})
		})
	}
}

func TestConflictOfFieldManagersIsNoReplacement(t *testing.T) {
	w := newWorld(t)
	w.applyAs("someone", "one", map[string]string{"key": "theirs"})
	polite := component.ApplierFunc(func(ctx context.Context, req component.ApplyRequest) (concepts.ConvergingOperation, error) {
		content, err := req.Content()
		require.NoError(t, err)
		configuration := client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: content})
		return concepts.ConvergingOperationNone, w.client.Apply(ctx, configuration, client.FieldOwner(req.FieldOwner))
	})
	resource := w.stub("one", "key", "ours")
	_, err := w.reconcileWith(polite, func(b *component.Builder) {
		b.WithResource(resource, component.ExpectUID(w.configMap("one").UID))
	})
	assert.True(t, apierrors.IsConflict(err))
	require.ErrorContains(t, err, replaceID("failed to apply resource <id>: ", resource))
	assert.Equal(t, metav1.ConditionFalse, w.condition().Status)
}
