package component_test

import (
	"errors"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/unstructured/static"
)

func clusterRole(name string) *stub {
	return &stub{object: &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}}}
}

func (w *world) ownersOf(name string, object client.Object) []metav1.OwnerReference {
	w.Helper()
	require.NoError(w, w.client.Get(w.Context(), client.ObjectKey{Name: name}, object))
	return object.GetOwnerReferences()
}

func TestNamespacedOwnerDoesNotOwnClusterScopedObject(t *testing.T) {
	w := newWorld(t)
	name := unique("role")
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(clusterRole(name)) }))
	assert.Empty(t, w.ownersOf(name, &rbacv1.ClusterRole{}))
	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
}

func TestClusterScopedOwnerOwnsBothScopes(t *testing.T) {
	w := newWorld(t)
	owner := &ClusterApp{App{ObjectMeta: metav1.ObjectMeta{Name: unique("owner")}}}
	require.NoError(t, w.client.Create(t.Context(), owner))
	name := unique("role")
	rec := w.context()
	rec.Owner = owner
	part := w.build(func(b *component.Builder) { b.WithResource(clusterRole(name)).WithResource(w.stub("one")) })

	require.NoError(t, part.Reconcile(t.Context(), rec))

	for _, references := range [][]metav1.OwnerReference{
		w.ownersOf(name, &rbacv1.ClusterRole{}),
		w.configMap("one").OwnerReferences,
	} {
		require.Len(t, references, 1)
		assert.Equal(t, owner.UID, references[0].UID)
	}
}

func TestUnownedObjectHasNoReferenceAndLosesTheOneItHad(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
	require.NotEmpty(t, w.configMap("one").OwnerReferences)

	again := w.stub("one")
	again.object.SetOwnerReferences(w.configMap("one").OwnerReferences)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(again, component.Unowned()) }))

	assert.Empty(t, w.configMap("one").OwnerReferences)
}

func TestUnownedObjectMayLiveInAnyNamespace(t *testing.T) {
	w, elsewhere := newWorld(t), newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(elsewhere.stub("one"), component.Unowned()) }))
	assert.Empty(t, elsewhere.configMap("one").OwnerReferences)
}

var errMapper = errors.New("no discovery")

// undiscoverable is a client whose RESTMapper does not answer.
type undiscoverable struct{ client.Client }

func (undiscoverable) RESTMapper() meta.RESTMapper { return silentMapper{} }

type silentMapper struct{ meta.RESTMapper }

func (silentMapper) RESTMapping(schema.GroupKind, ...string) (*meta.RESTMapping, error) {
	return nil, errMapper
}

func TestScopeIsLookedUpForOwnedObjectsOnly(t *testing.T) {
	w := newWorld(t)
	rec := w.context()
	rec.Client = undiscoverable{w.client}

	owned := w.build(func(b *component.Builder) { b.WithResource(w.stub("owned")) })
	err := owned.Reconcile(t.Context(), rec)
	require.ErrorIs(t, err, errMapper)
	require.ErrorContains(t, err, "failed to determine owner reference eligibility for resource v1/ConfigMap/"+w.namespace+"/owned: ")

	unowned := w.build(func(b *component.Builder) { b.WithResource(w.stub("unowned"), component.Unowned()) })
	require.NoError(t, unowned.Reconcile(t.Context(), rec))
	assert.Equal(t, "unowned", w.configMap("unowned").Name)
}

func TestSkippedOwnerReferenceIsLoggedWhenTheObjectChanges(t *testing.T) {
	w := newWorld(t)
	name := unique("role")
	for _, want := range []int{1, 0} {
		var lines []string
		log := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{})
		part := w.build(func(b *component.Builder) { b.WithResource(clusterRole(name)) })
		require.NoError(t, part.Reconcile(logf.IntoContext(t.Context(), log), w.context()))
		require.Len(t, lines, want)
		for _, line := range lines {
			assert.Contains(t, line, `"component"="part" "condition"="Ready"`)
			assert.Contains(t, line, "skipping owner reference for cluster-scoped resource owned by namespace-scoped owner; "+
				"this resource will not be garbage-collected when the owner is deleted")
		}
	}
}

func TestKindThatTheClusterDoesNotServeIsAnError(t *testing.T) {
	w := newWorld(t)
	resource, err := static.NewBuilder(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Missing", "metadata": map[string]any{"name": "one", "namespace": w.namespace},
	}}).Build()
	require.NoError(t, err)
	err = w.reconcile(func(b *component.Builder) { b.WithResource(resource) })
	require.ErrorContains(t, err, "failed to determine owner reference eligibility for resource "+resource.Identity()+": ")
	assert.True(t, meta.IsNoMatchError(err))
	err = w.reconcile(func(b *component.Builder) { b.WithResource(resource, component.Delete()) })
	assert.True(t, meta.IsNoMatchError(err))
}
