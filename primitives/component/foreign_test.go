package component_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
)

// ownedByOther creates the ConfigMap "one", which another owner of the same kind controls.
func (w *world) ownedByOther() {
	w.Helper()
	rec := w.context()
	rec.Owner, rec.EventRecorder = w.newOwner("other"), nil
	part := w.build(func(b *component.Builder) { b.WithResource(w.stub("one", "key", "theirs")) })
	require.NoError(w, part.Reconcile(w.Context(), rec))
}

func TestForeignControllerBlocks(t *testing.T) {
	w := newWorld(t)
	w.ownedByOther()
	before := w.configMap("one")

	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one", "key", "mine"), component.BlockOnForeignController()).WithResource(w.stub("two"))
	}))

	w.requireCondition(metav1.ConditionFalse, component.GuardBlocked, "controlled by App other")
	assert.Equal(t, before, w.configMap("one"))
	w.requireAbsent("two", &corev1.ConfigMap{})
}

func TestForeignControllerIsAnErrorWithoutTheOption(t *testing.T) {
	w := newWorld(t)
	w.ownedByOther()
	err := w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one", "key", "mine")) })
	require.Error(t, err)
	assert.True(t, apierrors.IsInvalid(err))
	assert.Equal(t, "theirs", w.configMap("one").Data["key"])
}

func TestOwnAbsentAndUncontrolledObjectsAreApplied(t *testing.T) {
	w := newWorld(t)
	w.applyAs("someone", "uncontrolled", nil)
	all := func(b *component.Builder) {
		for _, name := range []string{"absent", "uncontrolled"} {
			b.WithResource(w.stub(name, "key", "mine"), component.BlockOnForeignController())
		}
	}
	require.NoError(t, w.reconcile(all))
	require.NoError(t, w.reconcile(all), "what is ours by now")
	assert.Equal(t, "mine", w.configMap("absent").Data["key"])
	assert.Equal(t, "mine", w.configMap("uncontrolled").Data["key"])
}

func TestForeignControllerIsReadThroughTheAPIReader(t *testing.T) {
	w := newWorld(t)
	w.ownedByOther()
	rec := w.context()
	live := w.client
	w.intercept(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			t.Error("a read of the cache")
			return nil
		},
	})
	rec.Client, rec.APIReader = w.client, live
	part := w.build(func(b *component.Builder) { b.WithResource(w.stub("one"), component.BlockOnForeignController()) })
	require.NoError(t, part.Reconcile(t.Context(), rec))
	w.requireCondition(metav1.ConditionFalse, component.GuardBlocked, "controlled by App other")
}

func TestForeignObjectIsNotDeleted(t *testing.T) {
	w := newWorld(t)
	w.ownedByOther()
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one"), component.Delete(), component.BlockOnForeignController())
	}))
	assert.NotNil(t, w.configMap("one"))
	assert.Empty(t, w.recorded())
}

func TestForeignControllerThatCannotBeDecided(t *testing.T) {
	w := newWorld(t)
	w.intercept(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errors.New("boom")
		},
	})
	one := w.stub("one")
	for name, test := range map[string]struct {
		resource component.Resource
		suspend  bool
		opts     []component.ResourceOption
		want     string
	}{
		"applying":   {one, false, nil, "failed to check existence of resource <id>: boom"},
		"suspending": {one.suspendsAs("", ""), true, nil, "failed to check existence of resource <id>: boom"},
		"deleting": {
			one, false, []component.ResourceOption{component.Delete()},
			"failed to get resource <id>'s underlying object on deletion: boom",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := w.reconcile(func(b *component.Builder) {
				b.Suspend(test.suspend).WithResource(test.resource, append(test.opts, component.BlockOnForeignController())...)
			})
			require.EqualError(t, err, replaceID(test.want, one))
		})
	}
}

func TestAbsentObjectNeedsNoDeletion(t *testing.T) {
	w := newWorld(t)
	w.intercept(interceptor.Funcs{
		Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error {
			return errors.New("a delete")
		},
	})
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one"), component.Delete(), component.BlockOnForeignController())
	}))
}
