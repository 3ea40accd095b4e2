package hostile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// TestAdoptionTakesAVerbOfItsOwn has a control plane of its own, whose CRD has policy.onConflict: the policy is there before the field is.
func TestAdoptionTakesAVerbOfItsOwn(t *testing.T) {
	plane, err := env.Start(env.WithCRDs(withConflicts(t)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, plane.Stop()) })
	admin := fixture.Client(t, plane.Config)
	for _, object := range objectsOf(t, filepath.Join(env.Root(), "deploy", "policies", "adoption.yaml")) {
		require.NoError(t, admin.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("admin")))
	}
	user := func(name string, rules ...rbacv1.PolicyRule) client.Client {
		config, err := plane.ConfigFor(name)
		require.NoError(t, err)
		role := &rbacv1.ClusterRole{Rules: append(rules, right(v1.Domain, "clusterprojections", "get create update patch"))}
		role.Name = name
		require.NoError(t, admin.Create(t.Context(), role))
		binding := &rbacv1.ClusterRoleBinding{
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
		}
		binding.Name = name
		require.NoError(t, admin.Create(t.Context(), binding))
		return fixture.Client(t, config)
	}
	rule := func(name, onConflict string) *unstructured.Unstructured {
		object := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(`{apiVersion: projection.sh/v1, kind: ClusterProjection, metadata: {name: `+name+`}, spec: {
			source: {kind: ConfigMap, namespace: platform, name: settings}, destination: {namespaces: [a]}, policy: {`+onConflict+`}}}`), &object.Object))
		return object
	}
	const adopt = "onConflict: Adopt"
	author, adopting := user("author"), user("adopting", right(v1.Domain, "clusterprojections", "adopt"))
	named := right(v1.Domain, "clusterprojections", "adopt")
	named.ResourceNames = []string{"migration"}
	migrating := user("migrating", named)

	requireDenied(t, creating(author, rule("migration", adopt)), `you need the verb "adopt" on clusterprojections`)
	for _, other := range []string{"", "onConflict: AdoptIdentical", "onConflict: Skip", "onConflict: Refuse"} {
		require.NoError(t, creating(author, rule("migration", other))(), other)
	}
	require.NoError(t, creating(admin, rule("migration", adopt))())
	require.NoError(t, creating(adopting, rule("any", adopt))())
	require.NoError(t, creating(migrating, rule("migration", adopt))())
	requireDenied(t, creating(migrating, rule("any", adopt)), `"adopt"`)

	kept := rule("migration", adopt)
	require.NoError(t, admin.Create(t.Context(), kept))
	patch := func(as client.Client, patch string) func() error {
		return func() error { return as.Patch(t.Context(), kept.DeepCopy(), rawMerge(patch), client.DryRunAll) }
	}
	requireDenied(t, patch(author, `{"spec":{"destination":{"name":"other"}}}`), "or to change the spec of migration, which does")
	require.NoError(t, patch(migrating, `{"spec":{"destination":{"name":"other"}}}`)())
	require.NoError(t, patch(author, `{"metadata":{"labels":{"a":"b"}}}`)(), "the spec stays")
	require.NoError(t, patch(author, `{"spec":{"policy":null}}`)(), "adopts no more")
}

// withConflicts returns a directory with the committed CRDs, with the field policy.onConflict if they lack it.
func withConflicts(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join(env.CRDs(), "*.yaml"))
	require.NoError(t, err)
	for _, file := range files {
		definition := map[string]any{}
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(content, &definition))
		versions, _, err := unstructured.NestedSlice(definition, "spec", "versions")
		require.NoError(t, err)
		spec := []string{"schema", "openAPIV3Schema", "properties", "spec", "properties", "policy"}
		policy, found, err := unstructured.NestedMap(versions[0].(map[string]any), spec...)
		require.NoError(t, err)
		if !found {
			policy = map[string]any{"type": "object"}
		}
		if _, found, _ := unstructured.NestedMap(policy, "properties", "onConflict"); !found {
			require.NoError(t, unstructured.SetNestedMap(policy, map[string]any{"type": "string"}, "properties", "onConflict"))
		}
		require.NoError(t, unstructured.SetNestedMap(versions[0].(map[string]any), policy, spec...))
		require.NoError(t, unstructured.SetNestedSlice(definition, versions, "spec", "versions"))
		changed, err := yaml.Marshal(definition)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), changed, 0o600))
	}
	return dir
}
