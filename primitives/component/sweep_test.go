package component_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
)

var configMaps = corev1.SchemeGroupVersion.WithKind("ConfigMap")

func TestSweepDeletesWhatNoComponentHas(t *testing.T) {
	w := newWorld(t)
	old := []string{"managed", "listed", "left-over", "held"}
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		for _, name := range old {
			resource := w.stub(name)
			if name == "held" {
				resource.object.SetFinalizers([]string{"example.com/wait"})
			}
			b.WithResource(resource)
		}
		b.WithResource(w.stub("renamed")).WithFieldManager("App/part/before")
	}))
	require.NoError(t, w.client.Delete(t.Context(), w.configMap("held")))
	other := w.context()
	other.Owner = w.newOwner("other")
	require.NoError(t, w.build(func(b *component.Builder) { b.WithResource(w.stub("of-another-owner")) }).Reconcile(t.Context(), other))
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("by-hand")).WithFieldManager("mine") }))
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("unowned"), component.Unowned()) }))
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(&stub{object: &corev1.Secret{ObjectMeta: w.meta("another-kind")}})
	}))
	w.recorded()
	comps := []*component.Component{
		w.build(func(b *component.Builder) { b.WithResource(w.stub("managed")) }),
		w.build(func(b *component.Builder) { b.WithResource(w.stub("listed"), component.Delete()) }),
	}

	require.NoError(t, component.Sweep(t.Context(), w.context(), []schema.GroupVersionKind{configMaps}, comps...))

	for _, name := range []string{"left-over", "renamed"} {
		w.requireAbsent(name, &corev1.ConfigMap{})
	}
	for _, name := range []string{"managed", "listed", "held", "of-another-owner", "by-hand", "unowned"} {
		assert.NotNil(t, w.configMap(name))
	}
	assert.NotNil(t, w.get("another-kind", &corev1.Secret{}))
	assert.ElementsMatch(t, []string{
		"Normal ResourceDeleted Resource v1/ConfigMap/<ns>/left-over deleted: no component has it",
		"Normal ResourceDeleted Resource v1/ConfigMap/<ns>/renamed deleted: no component has it",
	}, w.recorded())
}

func TestSweepOfAClusterScopedOwner(t *testing.T) {
	w := newWorld(t)
	owner := &ClusterApp{App{ObjectMeta: metav1.ObjectMeta{Name: unique("owner")}}}
	require.NoError(t, w.client.Create(t.Context(), owner))
	rec := w.context()
	rec.Owner = owner
	kept, gone := unique("role"), unique("role")
	part := w.build(func(b *component.Builder) {
		b.WithResource(clusterRole(kept)).WithResource(clusterRole(gone)).WithResource(w.stub("one"))
	})
	require.NoError(t, part.Reconcile(t.Context(), rec))
	now := w.build(func(b *component.Builder) { b.WithResource(clusterRole(kept)) })

	kinds := []schema.GroupVersionKind{rbacv1.SchemeGroupVersion.WithKind("ClusterRole"), configMaps}
	require.NoError(t, component.Sweep(t.Context(), rec, kinds, now))

	require.NoError(t, w.client.Get(t.Context(), client.ObjectKey{Name: kept}, &rbacv1.ClusterRole{}))
	require.Error(t, w.client.Get(t.Context(), client.ObjectKey{Name: gone}, &rbacv1.ClusterRole{}))
	w.requireAbsent("one", &corev1.ConfigMap{})
	assert.Contains(t, w.recorded(), "Normal ResourceDeleted Resource rbac.authorization.k8s.io/v1/ClusterRole/"+gone+" deleted: no component has it")
}

func TestErrorsOfSweep(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")).WithResource(w.stub("two")) }))
	broken := w.stub("broken")
	broken.objectErr = errBoom
	err := component.Sweep(t.Context(), w.context(), []schema.GroupVersionKind{configMaps},
		w.build(func(b *component.Builder) { b.WithResource(broken) }))
	require.EqualError(t, err, replaceID("failed to retrieve object for resource <id>: boom", broken))
	assert.NotNil(t, w.configMap("one"), "what the components have is not known")

	unknown := &stub{object: &App{ObjectMeta: w.meta("one")}}
	rec := w.context()
	rec.Scheme = runtime.NewScheme()
	err = component.Sweep(t.Context(), rec, nil, w.build(func(b *component.Builder) { b.WithResource(unknown) }))
	require.ErrorContains(t, err, "failed to determine GVK for resource ")

	w.intercept(interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, opts ...client.DeleteOption) error {
			if object.GetName() == "one" {
				return errBoom
			}
			return c.Delete(ctx, object, opts...)
		},
	})
	rec = w.context()
	rec.APIReader = unlistable{w.client, "Secret"}
	secrets := corev1.SchemeGroupVersion.WithKind("Secret")
	err = component.Sweep(t.Context(), rec, []schema.GroupVersionKind{secrets, configMaps}, w.build(nil))
	require.ErrorContains(t, err, "failed to list Secret to sweep: boom")
	require.ErrorContains(t, err, "failed to delete resource v1/ConfigMap/"+w.namespace+"/one: boom")
	w.requireAbsent("two", &corev1.ConfigMap{})
}

// unlistable is a reader that cannot list one kind.
type unlistable struct {
	client.Reader
	kind string
}

func (u unlistable) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if list.GetObjectKind().GroupVersionKind().Kind == u.kind+"List" {
		return errBoom
	}
	return u.Reader.List(ctx, list, opts...)
}

func TestSweepOfAKindThatIsNotServed(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
	missing := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Missing"}
	require.NoError(t, component.Sweep(t.Context(), w.context(), []schema.GroupVersionKind{missing, configMaps}, w.build(nil)))
	w.requireAbsent("one", &corev1.ConfigMap{})
}

func TestSweepDoesNotTakeMissingComponentsForEmptyOnes(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
	for want, comps := range map[string][]*component.Component{
		"no components given to sweep":               nil,
		"component 1 of those given to sweep is nil": {w.build(nil), nil},
	} {
		err := component.Sweep(t.Context(), w.context(), []schema.GroupVersionKind{configMaps}, comps...)
		require.EqualError(t, err, want)
		assert.NotNil(t, w.configMap("one"))
	}
}
