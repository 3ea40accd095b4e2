package source_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/source"
)

// unserve has the API server serve no version of the kind, and waits until it does not.
func unserve(t *testing.T, resolver *source.Resolver, definition *apiextensionsv1.CustomResourceDefinition) schema.GroupKind {
	t.Helper()
	kind := schema.GroupKind{Group: definition.Spec.Group, Kind: definition.Spec.Names.Kind}
	require.Eventually(t, func() bool { // it says which names it accepts meanwhile
		live, err := definitions().Get(t.Context(), definition.Name, metav1.GetOptions{})
		require.NoError(t, err)
		live.Spec.Versions[0].Served = false
		_, err = definitions().Update(t.Context(), live, metav1.UpdateOptions{})
		return err == nil
	}, soon, tick)
	require.Eventually(t, func() bool {
		resolver.DefinitionsChanged("")
		_, err := resolver.ResolveKind(t.Context(), kind)
		return source.IsNotServed(err)
	}, soon, tick)
	return kind
}

func TestKindsThatObjectsMayExistOf(t *testing.T) {
	resolver := newResolver(t, cluster.Config)
	group := newGroup()
	hidden := unserve(t, resolver, define(t, group, "Gadget", "v1"))
	extension := newGroup()
	register(t, schema.GroupVersion{Group: extension, Version: "v1"})
	clusterScoped := unserve(t, resolver, defineIn(t, apiextensionsv1.ClusterScoped, newGroup(), "Planet", "v1"))

	tests := map[string]struct {
		kind   schema.GroupKind
		exists bool
		says   string // nothing is known
	}{
		"served":                       {kind: schema.GroupKind{Group: "apps", Kind: "Deployment"}, exists: true},
		"cluster-scoped":               {kind: schema.GroupKind{Kind: "Namespace"}},
		"cluster-scoped, not served":   {kind: clusterScoped},
		"of an unknown group":          {kind: schema.GroupKind{Group: "nobody.example.com", Kind: "Gadget"}},
		"of a group that ends alike":   {kind: schema.GroupKind{Group: strings.TrimPrefix(group, "g"), Kind: "Gadget"}},
		"beside one that is defined":   {kind: schema.GroupKind{Group: group, Kind: "Widget"}},
		"defined and not served":       {kind: hidden, says: "the CRD gadgets." + group + " does not serve the kind Gadget"},
		"of an extension":              {kind: schema.GroupKind{Group: extension, Kind: "Gadget"}, says: extension},
		"of a built-in group":          {kind: schema.GroupKind{Group: "apps", Kind: "Gadget"}, says: "the built-in kind Gadget.apps"},
		"of the core group":            {kind: schema.GroupKind{Kind: "Gadget"}, says: "the built-in kind Gadget"},
		"served, and cannot be read":   {kind: schema.GroupKind{Kind: "Binding"}, says: "the built-in kind Binding"},
		"served in a version at least": {kind: schema.GroupKind{Kind: "ConfigMap"}, exists: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			existing, err := resolver.ServedKinds(t.Context(), []schema.GroupKind{test.kind})
			assert.Equal(t, test.exists, len(existing) == 1)
			if test.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.says)
			}
		})
	}

	t.Run("together", func(t *testing.T) {
		existing, err := resolver.ServedKinds(t.Context(), []schema.GroupKind{hidden, {Kind: "ConfigMap"}, {Group: "nobody.example.com", Kind: "Gadget"}})
		assert.Len(t, existing, 1, "what is known is returned beside an error")
		var notServed *source.HiddenObjectsError
		require.ErrorAs(t, err, &notServed)
		assert.Equal(t, hidden, notServed.Kind)
	})
	t.Run("its definition is being deleted, and all objects with it", func(t *testing.T) {
		going := newGroup()
		name, kind := "gadgets."+going, unserve(t, resolver, define(t, going, "Gadget", "v1"))
		finalizers := func(list string) {
			_, err := definitions().Patch(t.Context(), name, types.MergePatchType, []byte(`{"metadata":{"finalizers":`+list+`}}`), metav1.PatchOptions{})
			require.NoError(t, err)
		}
		finalizers(`["example.com/hold"]`)
		require.NoError(t, definitions().Delete(t.Context(), name, metav1.DeleteOptions{}))
		resolver.DefinitionsChanged(going)
		_, err := resolver.ServedKinds(t.Context(), []schema.GroupKind{kind})
		require.NoError(t, err)
		finalizers("null")
	})
	t.Run("its definition goes", func(t *testing.T) {
		require.NoError(t, definitions().Delete(t.Context(), "gadgets."+group, metav1.DeleteOptions{}))
		require.Eventually(t, func() bool {
			resolver.DefinitionsChanged(group)
			_, err := resolver.ServedKinds(t.Context(), []schema.GroupKind{hidden})
			return err == nil
		}, soon, tick)
	})
}

func TestKindIsNotTakenForAbsentWithoutTheRightToLook(t *testing.T) {
	for _, resource := range []string{"customresourcedefinitions", "apiservices"} {
		for _, code := range []int{401, 403, 404, 429, 500, 503} {
			resolver := newResolver(t, answering(cluster.Config, code, func(r *http.Request) bool {
				return strings.HasSuffix(r.URL.Path, "/"+resource)
			}))
			existing, err := resolver.ServedKinds(t.Context(), []schema.GroupKind{{Group: "nobody.example.com", Kind: "Gadget"}})
			assert.Empty(t, existing)
			require.ErrorContains(t, err, "it is not known whether it is defined", "%s %d", resource, code)
		}
	}
}
