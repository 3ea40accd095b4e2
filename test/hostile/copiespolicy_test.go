package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// readOnly has the policy "copies" hold in the namespace away.
func (w *world) readOnly() {
	w.T.Helper()
	w.Merge(w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: $AWAY}}`), `{"metadata":{"labels":{"projection.sh/copies":"read-only"}}}`)
}

// TestCopiesAreReadOnlyWhereTheyAreToBe has a tenant who may do what he likes with ConfigMaps.
func TestCopiesAreReadOnlyWhereTheyAreToBe(t *testing.T) {
	w := newWorld(t)
	tenant := w.tenant()
	source := w.Create(configMap)
	rule := w.project(source, named("single"))
	cluster := w.everywhere(source, "kubernetes.io/metadata.name", w.Away)
	w.Ready(rule)
	w.Ready(cluster)
	edits := func(copied *unstructured.Unstructured) map[string]func(client.Client) error {
		patch := func(patch string) func(client.Client) error {
			return func(as client.Client) error {
				return as.Patch(t.Context(), copied.DeepCopy(), rawMerge(patch), client.DryRunAll)
			}
		}
		return map[string]func(client.Client) error{
			"to change it":  patch(`{"data":{"color":"mine"}}`),
			"to label it":   patch(`{"metadata":{"labels":{"a":"b"}}}`),
			"to release it": patch(`{"metadata":{"annotations":null}}`),
			"to delete it":  func(as client.Client) error { return as.Delete(t.Context(), copied.DeepCopy(), client.DryRunAll) },
			"to delete many": func(as client.Client) error {
				return as.DeleteAllOf(t.Context(), copied.DeepCopy(), client.InNamespace(w.Away), client.DryRunAll)
			},
		}
	}
	copies := map[string]*unstructured.Unstructured{
		"Projection " + w.Away + "/" + rule.Name: w.read(source, w.Away, "single"), "ClusterProjection " + cluster.GetName(): w.read(source, w.Away, "settings"),
	}
	for of, copied := range copies {
		require.NotNil(t, copied, of)
		for name, edit := range edits(copied) {
			require.NoError(t, edit(tenant), "%s, where the policy does not hold", name)
		}
	}
	w.readOnly()
	for of, copied := range copies {
		for name, edit := range edits(copied) {
			requireDenied(t, func() error { return edit(tenant) }, "this is a copy of the ")
			if name != "to delete many" {
				require.ErrorContains(t, edit(tenant), "this is a copy of the "+of)
			}
		}
	}
	mine := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: mine, namespace: $AWAY, annotations: {projection.sh/owned-by-projection: other/rule}}}`)
	require.NoError(t, tenant.Patch(t.Context(), mine, rawMerge(`{"data":{"a":"b"}}`)), "no copy: it names a rule of another namespace")
	require.NoError(t, tenant.Delete(t.Context(), mine))

	w.Merge(source, `{"data":{"color":"blue"}}`)
	w.becomes(source, func(o *unstructured.Unstructured) bool { return entry(o, "color") == "blue" })
	space := w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: $AWAY}}`)
	w.Delete(space)
	w.Gone(space)
}

// TestWhoMayChangeReadOnlyCopies has users with one permission each.
func TestWhoMayChangeReadOnlyCopies(t *testing.T) {
	w := newWorld(t)
	w.installPolicies()
	source := w.Create(configMap)
	rule := w.project(source, named("single"))
	cluster := w.everywhere(source, "kubernetes.io/metadata.name", w.Away)
	w.Ready(rule)
	w.Ready(cluster)
	w.readOnly()
	single, many := w.read(source, w.Away, "single"), w.read(source, w.Away, "settings")
	own := func(resource string, names ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{v1.Domain}, Resources: []string{resource}, ResourceNames: names, Verbs: []string{"own"}}
	}
	for name, test := range map[string]struct {
		right        rbacv1.PolicyRule
		single, many bool
	}{
		"nothing":                  {right("", "pods", "get"), false, false},
		"own-rule":                 {own("projections", rule.Name), true, false},
		"own-other-rule":           {own("projections", "other"), false, false},
		"own-cluster-rule":         {own("clusterprojections", cluster.GetName()), false, true},
		"own-other-cluster-rule":   {own("clusterprojections", "other"), false, false},
		"own-remote-clusters":      {own("remoteclusters"), true, true},
		"update-status":            {right(v1.Domain, "projections/status", "update"), true, false},
		"update-status-of-cluster": {right(v1.Domain, "clusterprojections/status", "update"), false, true},
	} {
		user := fixture.Client(t, w.account(name))
		w.mayIn(w.Away, name, right("", "configmaps", "get patch delete"))
		w.may(name, test.right)
		for copied, may := range map[*unstructured.Unstructured]bool{single: test.single, many: test.many} {
			edit := func() error {
				return user.Patch(t.Context(), copied.DeepCopy(), rawMerge(`{"data":{"color":"mine"}}`), client.DryRunAll)
			}
			if may {
				require.Eventually(t, func() bool { return edit() == nil }, env.Timeout, env.Interval, "%s, %s", name, copied.GetName())
				continue
			}
			requireDenied(t, edit, "this is a copy of the ")
			require.True(t, apierrors.IsForbidden(user.Delete(t.Context(), copied.DeepCopy(), client.DryRunAll)), name)
		}
	}
}
