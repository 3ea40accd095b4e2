package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

func TestWhatTheOperatorNeeds(t *testing.T) {
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{{Version: "v1"}})
	for _, kind := range []string{"ConfigMap", "Secret", "Service"} {
		mapper.Add(schema.GroupVersionKind{Version: "v1", Kind: kind}, meta.RESTScopeNamespace)
	}
	rule := func(name string, spec owner.Spec) access.Rule {
		return access.Rule{Identity: owner.Identity{Kind: owner.ClusterProjection, Name: name}, Spec: spec}
	}
	secret := v1.SourceRef{Kind: "Secret", Namespace: "platform", Name: "ca"}
	configMap := v1.SourceRef{Kind: "ConfigMap", Namespace: "platform", Name: "layer"}
	all := sets.New("get", "list", "watch", "create", "patch", "delete")
	tests := map[string]struct {
		rules  []access.Rule
		named  []string
		wanted map[string]sets.Set[string]
		says   string
	}{
		"a source and its copies": {
			rules: []access.Rule{rule("ca", owner.Spec{Source: secret})}, wanted: map[string]sets.Set[string]{"secrets": all}, says: "the ClusterProjection ca needs it",
		},
		"two rules": {
			rules:  []access.Rule{rule("ca", owner.Spec{Source: secret}), rule("ca-2", owner.Spec{Source: secret})},
			wanted: map[string]sets.Set[string]{"secrets": all}, says: "the ClusterProjection ca needs it, and 1 other rule",
		},
		"copies of another kind": {
			rules:  []access.Rule{rule("ca", owner.Spec{Source: secret, CopyKind: "ConfigMap"})},
			wanted: map[string]sets.Set[string]{"secrets": sets.New("get", "list", "watch"), "configmaps": all},
		},
		"a layer": {
			rules:  []access.Rule{rule("ca", owner.Spec{Source: secret, Merge: v1.MergeSpec{Layers: []v1.LayerSpec{{Source: configMap}}}})},
			wanted: map[string]sets.Set[string]{"secrets": all, "configmaps": sets.New("get", "list", "watch")},
		},
		"in the name of a service account": {
			rules:  []access.Rule{rule("ca", owner.Spec{Source: secret, Account: &v1.ServiceAccountRef{Name: "copier"}})},
			wanted: map[string]sets.Set[string]{"secrets": sets.New("list", "watch", "delete")},
		},
		"a kind that is not served": {
			rules:  []access.Rule{rule("w", owner.Spec{Source: v1.SourceRef{Group: "example.com", Kind: "Widget"}})},
			wanted: map[string]sets.Set[string]{},
		},
		"a kind that the caller names": {named: []string{"services"}, wanted: map[string]sets.Set[string]{"services": all}, says: "no rule needs it yet"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			named, err := namedResources(mapper, test.named)
			require.NoError(t, err)
			found, err := newNeeds(mapper, test.rules, named)
			require.NoError(t, err)
			verbs := map[string]sets.Set[string]{}
			for resource, needed := range found.of {
				verbs[resource.String()] = needed.verbs
				if test.says != "" {
					assert.Equal(t, test.says, needed.String())
				}
			}
			assert.Equal(t, test.wanted, verbs)
		})
	}
}
