package component_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/feature"
)

func (w *world) finalize(part *component.Component) bool {
	w.Helper()
	done, err := part.Finalize(w.Context(), w.context())
	require.NoError(w, err)
	return done
}

func TestFinalizeDeletesInReverseOrderAndWaits(t *testing.T) {
	w := newWorld(t)
	role := unique("role")
	held := w.stub("held")
	held.object.SetFinalizers([]string{"example.com/wait"})
	everything := func(b *component.Builder) {
		b.WithResource(clusterRole(role)).WithResource(held).WithResource(w.stub("last"))
	}
	require.NoError(t, w.reconcile(everything))
	w.recorded()

	for _, want := range [][]string{
		{
			"Normal ResourceDeleted Resource v1/ConfigMap/<ns>/last deleted with its owner",
			"Normal ResourceDeleted Resource v1/ConfigMap/<ns>/held deleted with its owner",
		},
		{},
	} {
		assert.False(t, w.finalize(w.build(everything)))
		w.requireCondition(metav1.ConditionFalse, component.Disabled,
			"Component is terminating: waiting for the deletion of v1/ConfigMap/"+w.namespace+"/held.")
		assert.Equal(t, want, w.recorded())
		w.requireAbsent("last", &corev1.ConfigMap{})
		assert.Empty(t, w.ownersOf(role, &rbacv1.ClusterRole{}), "it is there, and the garbage collector would leave it")
	}

	going := w.configMap("held")
	going.Finalizers = nil
	require.NoError(t, w.client.Update(t.Context(), going))
	assert.True(t, w.finalize(w.build(everything)))
	w.requireCondition(metav1.ConditionTrue, component.Disabled, "Component is terminated.")
	err := w.client.Get(t.Context(), client.ObjectKey{Name: role}, &rbacv1.ClusterRole{})
	require.NoError(t, client.IgnoreNotFound(err))
	require.Error(t, err)

	w.recorded()
	assert.True(t, w.finalize(w.build(everything)), "again")
	assert.Empty(t, w.recorded())
}

func TestFinalizeLooksAtEveryList(t *testing.T) {
	w := newWorld(t)
	names := []string{"managed", "listed", "orphaned"}
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		for _, name := range names {
			b.WithResource(w.stub(name))
		}
	}))
	for _, name := range []string{"read", "theirs"} {
		w.applyAs("someone", name, nil)
	}
	part := w.build(func(b *component.Builder) {
		b.WithFeatureGate(feature.NewBooleanGate(false)).WithPrerequisite(component.DependsOn("Never")).Suspend(true).
			WithResource(w.stub("managed")).
			WithResource(w.stub("listed"), component.Delete()).
			WithResource(w.stub("orphaned"), component.OrphanWhen(true)).
			WithResource(w.stub("read"), component.ReadOnly()).
			WithResource(w.stub("theirs"), component.OnlyIfOwned())
	})
	assert.True(t, w.finalize(part))
	for _, name := range []string{"managed", "listed"} {
		w.requireAbsent(name, &corev1.ConfigMap{})
	}
	assert.Empty(t, w.configMap("orphaned").OwnerReferences)
	assert.NotNil(t, w.configMap("read"))
	assert.NotNil(t, w.configMap("theirs"))
}

func TestFinalizeLeavesWhatIsNotOfTheOwner(t *testing.T) {
	for name, opts := range map[string][]component.ResourceOption{"managed": nil, "to be deleted": {component.Delete()}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.ownedByOther()
			w.applyAs("someone", "by-hand", map[string]string{"key": "theirs"})
			part := w.build(func(b *component.Builder) {
				b.WithResource(w.stub("one"), opts...).WithResource(w.stub("by-hand"), opts...)
			})
			assert.True(t, w.finalize(part))
			assert.Equal(t, "theirs", w.configMap("one").Data["key"])
			assert.Equal(t, "theirs", w.configMap("by-hand").Data["key"])
		})
	}
}

func TestFinalizeLeavesTheClusterScopedObjectOfAnotherOwner(t *testing.T) {
	w := newWorld(t)
	role := unique("role")
	everything := func(b *component.Builder) { b.WithResource(clusterRole(role)) }
	require.NoError(t, w.reconcile(everything))
	other := w.context()
	other.Owner = w.newOwner("other")
	done, err := w.build(everything).Finalize(t.Context(), other)
	require.NoError(t, err)
	assert.True(t, done)
	require.NoError(t, w.client.Get(t.Context(), client.ObjectKey{Name: role}, &rbacv1.ClusterRole{}))
}

func TestFinalizeLeavesUnownedObjects(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("stays"), component.Unowned()).WithResource(w.stub("goes", "key", "ours"), component.Unowned())
	}))
	assert.True(t, w.finalize(w.build(func(b *component.Builder) {
		b.WithResource(w.stub("stays"), component.Unowned()).
			WithResource(w.stub("goes"), component.Unowned(), component.DeleteWhen(true))
	})))
	assert.NotNil(t, w.configMap("stays"))
	w.requireAbsent("goes", &corev1.ConfigMap{})
}

func TestFinalizeOfAKindThatIsNotServed(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
	missing := func(name string) *stub {
		object := &unstructured.Unstructured{}
		object.SetAPIVersion("example.com/v1")
		object.SetKind("Missing")
		object.SetNamespace(w.namespace)
		object.SetName(name)
		return &stub{object: object}
	}
	assert.True(t, w.finalize(w.build(func(b *component.Builder) {
		b.WithResource(w.stub("one")).
			WithResource(missing("managed")).
			WithResource(missing("listed"), component.Delete()).
			WithResource(missing("orphaned"), component.OrphanWhen(true))
	})))
	w.requireAbsent("one", &corev1.ConfigMap{})
}

func TestErrorsOfFinalize(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
	broken := w.stub("broken")
	broken.objectErr = errBoom
	done, err := w.build(func(b *component.Builder) { b.WithResource(w.stub("one")).WithResource(broken) }).Finalize(t.Context(), w.context())
	assert.False(t, done)
	require.EqualError(t, err, replaceID("failed to get resource <id>'s underlying object on deletion: boom", broken))
	w.requireCondition(metav1.ConditionFalse, component.Error, err.Error())
	assert.NotNil(t, w.configMap("one"), "its turn has not come")
}
