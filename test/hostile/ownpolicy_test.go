package hostile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// formerOwnership installs, for the namespace away, the policy "ownership" of the version that did not ask for the verb own.
func (w *world) formerOwnership() {
	w.T.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "policies", "ownership-before-own.yaml"))
	require.NoError(w.T, err)
	for manifest := range strings.SplitSeq(string(content), "\n---\n") {
		object := w.Object(manifest)
		require.NoError(w.T, w.Client.Apply(w.T.Context(), client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("admin"), client.ForceOwnership))
		w.dispose(object)
	}
	forged := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {generateName: forged-, namespace: $AWAY, annotations: {projection.sh/owned-by-projection: $AWAY/x}}}`)
	owns := fixture.Client(w.T, w.account("owns"))
	w.mayIn(w.Away, "owns", right("", "configmaps", "create"), right(v1.Domain, "projections", "own"))
	requireDenied(w.T, creating(owns, forged), "former-"+w.Away)
}

// TestPolicyAndRoleAreUpgradedInAnyOrder has the operator work under the policies "ownership" and "copies", with the role that has the verb own and
// with the one before, under the policy that asks for the verb and the one before.
func TestPolicyAndRoleAreUpgradedInAnyOrder(t *testing.T) {
	for name, test := range map[string]struct{ formerPolicy, formerRole bool }{
		"before":                {true, true},
		"the policy comes last": {true, false},
		"the role comes last":   {false, true},
		"after":                 {false, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.installPolicies()
			w.readOnly()
			if test.formerPolicy {
				w.formerOwnership()
			}
			rights := least(t)
			if test.formerRole {
				for i := range rights {
					rights[i].Verbs = slices.DeleteFunc(rights[i].Verbs, func(verb string) bool { return verb == "own" })
				}
				require.NotEqual(t, least(t), rights)
			}
			w.operatorAs("operator", w.Home, nil, append(rights, right("", "configmaps", copying))...)
			source := w.Create(configMap)
			rule := w.project(source, w.served, named("single"))
			cluster := w.everywhere(source, "kubernetes.io/metadata.name", w.Away)
			w.Merge(cluster, `{"metadata":{"labels":{"`+servedBy+`":"$HOME"}}}`)
			w.Ready(rule)
			w.Ready(cluster)
			for _, copied := range []string{"single", "settings"} {
				w.Merge(w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: `+copied+`, namespace: $AWAY}}`), `{"data":{"color":"drift"}}`)
				w.Exists(source, w.Away, copied, func(o *unstructured.Unstructured) bool { return entry(o, "color") == "red" })
			}
			w.Delete(rule)
			w.Delete(cluster)
			w.Gone(rule)
			w.Gone(cluster)
			assert.Nil(t, w.read(source, w.Away, "single"))
			assert.Nil(t, w.read(source, w.Away, "settings"))
		})
	}
}
