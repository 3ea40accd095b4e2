package plan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
)

func TestPlacesOfLayersAreNotSelected(t *testing.T) {
	layer := func(kind, namespace, name string) v1.LayerSpec {
		return v1.LayerSpec{Source: v1.SourceRef{Kind: kind, Namespace: namespace, Name: name}}
	}
	listed := plan.Target{Namespace: "a", Version: "1"}
	tests := map[string]struct {
		spec    owner.Spec
		targets []plan.Target
		want    []string
	}{
		"selected":                 {owner.Spec{}, []plan.Target{team("a", "x"), team("b", "x")}, []string{"b/settings"}},
		"listed":                   {owner.Spec{}, []plan.Target{listed, team("b", "x")}, []string{"a/settings", "b/settings"}},
		"copies of another kind":   {owner.Spec{CopyKind: "Secret"}, []plan.Target{team("a", "x")}, []string{"a/settings"}},
		"named by an expression":   {owner.Spec{NameExpression: "'settings'"}, []plan.Target{team("a", "x")}, []string{"a/settings"}},
		"a layer has another name": {owner.Spec{}, []plan.Target{team("c", "x")}, []string{"c/settings"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.spec.Merge.Layers = []v1.LayerSpec{layer("ConfigMap", "a", "settings"), layer("Secret", "b", "settings"), layer("ConfigMap", "c", "other")}
			copies, err := planned(t, test.spec, test.targets...)
			require.NoError(t, err)
			assert.Equal(t, test.want, places(copies))
		})
	}
}
