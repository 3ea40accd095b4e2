package plan_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// planned returns the copies that a rule wants of home/settings in the targets.
func planned(t *testing.T, spec owner.Spec, targets ...plan.Target) (plan.Copies, error) {
	t.Helper()
	spec.Source = v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"}
	spec.Name = "settings"
	planner := &plan.Planner[*v1.ClusterProjection]{
		Kind:          owner.ClusterProjection,
		Targets:       func(context.Context, *v1.ClusterProjection) ([]plan.Target, error) { return targets, nil },
		ServerVersion: func() string { return "v1.36.3" },
	}
	from := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "settings", "namespace": "home", "labels": map[string]any{"app": "shop"}},
		"data":     map[string]any{"color": "red"},
	}}
	return planner.Render(t.Context(), &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: "rule", UID: "u-1"}}, spec, source.Kind{}, from, policy.Permission{}, destination.Rendering{})
}

func places(copies plan.Copies) (places []string) {
	for _, target := range copies.Targets {
		places = append(places, target.At().String())
	}
	return places
}

func team(namespace, team string) plan.Target {
	return plan.Target{Namespace: namespace, Version: "1", Labels: map[string]string{"team": team}, Selected: true}
}

func TestNamesOfTargets(t *testing.T) {
	blocked := plan.Target{Namespace: "c", Blocked: "it does not exist"}
	without := plan.Target{Namespace: "d", Version: "1"}
	copies, err := planned(t, owner.Spec{NameExpression: "source.metadata.name + '-' + target.labels['team']"}, team("a", "x"), team("b", "_"), blocked, without)
	require.NoError(t, err)
	assert.Equal(t, []string{"a/settings-x", "b/", "c/", "d/"}, places(copies))
	require.NoError(t, copies.Targets[0].Unnamed)
	require.ErrorContains(t, copies.Targets[1].Unnamed, `results in "settings-_"`)
	require.NoError(t, copies.Targets[2].Unnamed, "it is not evaluated")
	require.ErrorContains(t, copies.Targets[3].Unnamed, "no such key: team")

	copies, err = planned(t, owner.Spec{NameExpression: "'all'"}, team("a", "x"), blocked)
	require.NoError(t, err)
	assert.Equal(t, []string{"a/all", "c/all"}, places(copies), "the name of all is known")
	copies, err = planned(t, owner.Spec{}, team("a", "x"), blocked)
	require.NoError(t, err)
	assert.Equal(t, []string{"a/settings", "c/settings"}, places(copies))
}

func TestNameThatFailsForAll(t *testing.T) {
	for expression, reason := range map[string]string{
		"source.metadata.labels.none": v1.ReasonRenderFailed, "'No'": v1.ReasonRenderFailed, "nothing": v1.ReasonRuleInvalid,
	} {
		_, err := planned(t, owner.Spec{NameExpression: expression}, team("a", "x"))
		failed, ok := err.(*plan.Error) //nolint:errorlint // exactly that
		require.True(t, ok, "%v", err)
		assert.Equal(t, reason, failed.Reason, expression)
		assert.Contains(t, failed.Sentence(), "copies are kept")
		assert.Contains(t, failed.Sentence(), "destination.nameExpression")
		assert.False(t, failed.Retry, expression)
	}
}

// TestNamesSeeTheLabelsOfTheSource chooses no label, and sets another one.
func TestNamesSeeTheLabelsOfTheSource(t *testing.T) {
	spec := owner.Spec{NameExpression: "source.metadata.labels.app"}
	spec.Content.Labels.Exclude, spec.Overlay.Labels = []string{"*"}, map[string]string{"app": "overlay"}
	copies, err := planned(t, spec, team("a", "x"))
	require.NoError(t, err)
	assert.Equal(t, []string{"a/shop"}, places(copies))
}

func TestPlaceOfTheSourceIsNoTarget(t *testing.T) {
	spec, listed := owner.Spec{NameExpression: "target.labels.team"}, team("home", "settings")
	listed.Selected = false
	copies, err := planned(t, spec, team("a", "settings"), team("home", "settings"), team("z", "x"))
	require.NoError(t, err)
	assert.Equal(t, []string{"a/settings", "z/x"}, places(copies))
	assert.Equal(t, "home", copies.Itself)
	copies, err = planned(t, spec, team("a", "settings"), team("home", "x"))
	require.NoError(t, err)
	assert.Equal(t, []string{"a/settings", "home/x"}, places(copies))
	assert.Empty(t, copies.Itself)
	copies, err = planned(t, spec, listed)
	require.NoError(t, err)
	assert.Equal(t, []string{"home/settings"}, places(copies), "a list is refused later")
	spec.CopyKind = "Secret"
	copies, err = planned(t, spec, team("home", "settings"))
	require.NoError(t, err)
	assert.Equal(t, []string{"home/settings"}, places(copies), "it is of another kind")
}
