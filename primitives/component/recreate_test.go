package component_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
)

// immutable returns a ConfigMap whose data the API server refuses to change.
func (w *world) immutable(value string) *stub {
	resource := w.stub("one", "key", value)
	resource.object.(*corev1.ConfigMap).Immutable = new(true)
	return resource
}

// recreating reconciles the immutable ConfigMap with the option.
func (w *world) recreating(resource component.Resource) error {
	w.Helper()
	return w.reconcile(func(b *component.Builder) {
		b.WithResource(resource, component.RecreateOnImmutable()).WithResource(w.stub("later"))
	})
}

func TestObjectThatCannotBeChangedIsCreatedAgain(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.recreating(w.immutable("1")))
	require.NoError(t, w.recreating(w.immutable("1")))
	err := w.reconcile(func(b *component.Builder) { b.WithResource(w.immutable("2")) })
	assert.True(t, apierrors.IsInvalid(err), "without the option")
	w.recorded()

	require.NoError(t, w.recreating(w.immutable("2")))

	w.requireAbsent("one", &corev1.ConfigMap{})
	w.requireCondition(metav1.ConditionFalse, component.GuardBlocked,
		"waiting for v1/ConfigMap/"+w.namespace+"/one to be deleted, since it cannot be changed")
	assert.Equal(t, []string{
		"Normal ResourceDeleted Resource v1/ConfigMap/<ns>/one deleted to be created again: it cannot be changed",
	}, w.recorded())

	require.NoError(t, w.recreating(w.immutable("2")))
	assert.Equal(t, "2", w.configMap("one").Data["key"])
	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
}

func TestRecreationWaitsForFinalizers(t *testing.T) {
	w := newWorld(t)
	first := w.immutable("1")
	first.object.SetFinalizers([]string{"example.com/wait"})
	require.NoError(t, w.recreating(first))
	w.recorded()
	for _, events := range []int{1, 0} {
		require.NoError(t, w.recreating(w.immutable("2")))
		assert.Equal(t, string(component.GuardBlocked), w.condition().Reason)
		assert.Len(t, w.recorded(), events, "it is deleted once")
	}
	going := w.configMap("one")
	going.Finalizers = nil
	require.NoError(t, w.client.Update(t.Context(), going))
	require.NoError(t, w.recreating(w.immutable("2")))
	assert.Equal(t, "2", w.configMap("one").Data["key"])
}

func TestObjectsThatAreNotRecreated(t *testing.T) {
	for name, test := range map[string]struct {
		before func(w *world)
		change func(object client.Object)
	}{
		"of somebody else": {before: func(w *world) {
			theirs := w.immutable("theirs").object
			require.NoError(w, w.client.Create(w.Context(), theirs))
		}},
		"of another controller": {before: func(w *world) {
			rec := w.context()
			rec.Owner = w.newOwner("other")
			require.NoError(w, w.build(func(b *component.Builder) { b.WithResource(w.immutable("theirs")) }).Reconcile(w.Context(), rec))
		}},
		"invalid in itself": {
			before: func(w *world) { require.NoError(w, w.recreating(w.immutable("1"))) },
			change: func(object client.Object) { object.SetLabels(map[string]string{"a": "no label value"}) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			test.before(w)
			before := w.configMap("one")
			w.recorded()
			resource := w.immutable("2")
			if test.change != nil {
				test.change(resource.object)
			}
			err := w.recreating(resource)
			assert.True(t, apierrors.IsInvalid(err), "%v", err)
			assert.Equal(t, before, w.configMap("one"))
			assert.Empty(t, w.recorded())
		})
	}
}

func TestErrorsOfRecreation(t *testing.T) {
	for name, funcs := range map[string]interceptor.Funcs{
		"the dry run": {Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return errBoom }},
		"the deletion": {Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error {
			return errBoom
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			require.NoError(t, w.recreating(w.immutable("1")))
			w.intercept(funcs)
			err := w.recreating(w.immutable("2"))
			require.ErrorIs(t, err, errBoom)
			assert.True(t, apierrors.IsInvalid(err))
			assert.Equal(t, "1", w.configMap("one").Data["key"])
		})
	}
}

// disposable holds data that may be lost.
type disposable struct{ *stub }

func (disposable) Recreatable() bool { return true }

func TestKindsThatHoldDataAreNotRecreated(t *testing.T) {
	at := metav1.ObjectMeta{Name: "one", Namespace: "ns"}
	untyped := &unstructured.Unstructured{}
	untyped.SetAPIVersion("apps/v1")
	untyped.SetKind("StatefulSet")
	for want, objects := range map[string][]client.Object{
		"StatefulSet":           {&appsv1.StatefulSet{ObjectMeta: at}, untyped},
		"PersistentVolumeClaim": {&corev1.PersistentVolumeClaim{ObjectMeta: at}},
		"PersistentVolume":      {&corev1.PersistentVolume{ObjectMeta: at}},
	} {
		for _, object := range objects {
			build := func(resource component.Resource) error {
				_, err := component.NewComponentBuilder().WithName("part").WithConditionType(ready).
					WithResource(resource, component.RecreateOnImmutable()).Build()
				return err
			}
			require.ErrorContains(t, build(&stub{object: object}), "resource option RecreateOnImmutable would delete the data of a "+want+
				"; a resource that implements component.Recreatable allows it")
			require.NoError(t, build(disposable{&stub{object: object}}))
		}
	}
}
