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
	"projection.sh/operator/primitives/feature"
)

func TestOptionsThatDelete(t *testing.T) {
	for name, option := range map[string]component.ResourceOption{
		"Delete":           component.Delete(),
		"DeleteWhen":       component.DeleteWhen(true),
		"GatedBy disabled": component.GatedBy(feature.NewBooleanGate(false)),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
			w.recorded()
			deleting := func(b *component.Builder) { b.WithResource(w.stub("one"), option) }

			require.NoError(t, w.reconcile(deleting))

			w.requireAbsent("one", &corev1.ConfigMap{})
			w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
			assert.Equal(t, []string{
				"Normal ResourceDeleted Resource v1/ConfigMap/<ns>/one deleted due to resource deletion flag",
			}, w.recorded())

			require.NoError(t, w.reconcile(deleting), "what is gone is a success")
			assert.Empty(t, w.recorded())
		})
	}
}

func TestOptionsThatDoNotDelete(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one"), component.DeleteWhen(false)).
			WithResource(w.stub("two"), component.GatedBy(feature.NewBooleanGate(true))).
			WithResource(w.stub("three"), component.GatedBy(nil)).
			WithResource(w.stub("four"), nil)
	}))
	for _, name := range []string{"one", "two", "three", "four"} {
		assert.NotNil(t, w.configMap(name))
	}
}

func TestDeletionsKeepTheOrderOfRegistrationAndGoOnAfterErrors(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")).WithResource(w.stub("two")) }))
	var deleted []string
	boom := errors.New("boom")
	w.intercept(interceptor.Funcs{
		Delete: func(_ context.Context, _ client.WithWatch, object client.Object, _ ...client.DeleteOption) error {
			deleted = append(deleted, object.GetName())
			if object.GetName() == "one" {
				return boom
			}
			return nil
		},
	})
	one, two := w.stub("one"), w.stub("two")
	broken := w.stub("broken")
	broken.objectErr = boom
	err := w.reconcile(func(b *component.Builder) {
		b.WithResource(one, component.Delete()).WithResource(broken, component.Delete()).WithResource(two, component.Delete())
	})
	require.EqualError(t, err, replaceID("failed to delete resource <id>: boom\n", one)+
		replaceID("failed to get resource <id>'s underlying object on deletion: boom", broken))
	w.requireCondition(metav1.ConditionFalse, component.Error, err.Error())
	assert.Equal(t, []string{"one", "two"}, deleted)
}

func TestDeletionHasPreconditions(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
	w.intercept(interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, opts ...client.DeleteOption) error {
			w.applyAs("someone", "one", map[string]string{"changed": "meanwhile"})
			return c.Delete(ctx, object, opts...)
		},
	})
	err := w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one"), component.Delete())
	})
	require.Error(t, err)
	assert.True(t, apierrors.IsConflict(err))
	assert.NotNil(t, w.configMap("one"))
}

func TestDependentsGoInTheBackground(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
	var options client.DeleteOptions
	w.intercept(interceptor.Funcs{
		Delete: func(_ context.Context, _ client.WithWatch, _ client.Object, opts ...client.DeleteOption) error {
			options.ApplyOptions(opts)
			return nil
		},
	})
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one"), component.Delete()) }))
	require.NotNil(t, options.PropagationPolicy)
	assert.Equal(t, metav1.DeletePropagationBackground, *options.PropagationPolicy)
	require.NotNil(t, options.Preconditions)
	assert.NotNil(t, options.Preconditions.UID)
	assert.NotNil(t, options.Preconditions.ResourceVersion)
}
