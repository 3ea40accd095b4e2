package plan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/mutations"
)

// newMerge returns a planner of a rule that merges the layers, whose annotations of consent are these. An empty one is that of a layer that does not
// exist.
func newMerge(t *testing.T, optional bool, consents ...string) (*plan.Planner[*v1.Projection], plan.Read, *v1.Projection) {
	t.Helper()
	planner, read := newPlanner(t, "merger")
	spec := planner.Spec
	planner.Spec = func(rule *v1.Projection) owner.Spec {
		asked := spec(rule)
		asked.Merge = rule.GetMerge()
		return asked
	}
	rule := newSource(t, "true")
	rule.Spec.Merge = &v1.Merge{}
	for _, consent := range consents {
		layer := v1.Layer{Namespace: rule.Spec.Source.Namespace, Name: "nobody", Optional: optional}
		if consent != "" {
			source := newSource(t, consent).Spec.Source
			layer.Namespace, layer.Name = source.Namespace, source.Name
		}
		rule.Spec.Merge.Layers = append(rule.Spec.Merge.Layers, layer)
	}
	return planner, read, rule
}

func TestPlanOfAMerge(t *testing.T) {
	planner, read, rule := newMerge(t, true, "true", "false", "", "maybe")
	planned, err := planner.Make(t.Context(), rule, read)
	require.NoError(t, err)
	require.Len(t, planned.Targets, 1)
	copied, err := planned.Targets[0].Renderer.Copy(destination.Target{Namespace: "away"})
	require.NoError(t, err)
	firing, err := copied.FiringSet()
	require.NoError(t, err)
	assert.Contains(t, firing, mutations.MergeLayers)
	assert.Contains(t, copied.Content, " ConfigMap/"+rule.Spec.Merge.Layers[0].Namespace+"/settings")
	assert.NotContains(t, copied.Content, rule.Spec.Merge.Layers[1].Namespace)
}

func TestPlanOfAMergeWithoutALayer(t *testing.T) {
	planner, read, rule := newMerge(t, false, "true", "")
	_, err := planner.Make(t.Context(), rule, read)
	var stopped *plan.Error
	require.ErrorAs(t, err, &stopped)
	assert.Equal(t, v1.ReasonSourceNotFound, stopped.Reason)
	assert.True(t, stopped.Transient)
	assert.Contains(t, stopped.Sentence(), "the layer ConfigMap "+rule.Spec.Source.Namespace+"/nobody is missing")

	planner, read, rule = newMerge(t, false, "true", "false")
	planned, err := planner.Make(t.Context(), rule, read)
	require.NoError(t, err)
	assert.Equal(t, v1.ReasonSourceOptedOut, planned.Problem.Reason)
}

// TestOwnerOfALayerWhoDoesNotConsentCountsMore than the source, or another layer, that does not exist.
func TestOwnerOfALayerWhoDoesNotConsentCountsMore(t *testing.T) {
	planner, read, rule := newMerge(t, false, "", "false")
	planned, err := planner.Make(t.Context(), rule, read)
	require.NoError(t, err)
	assert.Equal(t, v1.ReasonSourceOptedOut, planned.Problem.Reason)

	planner, read, rule = newMerge(t, false, "true", "false")
	rule.Spec.Source.Name = "nobody"
	planned, err = planner.Make(t.Context(), rule, read)
	require.NoError(t, err)
	assert.Equal(t, v1.ReasonSourceOptedOut, planned.Problem.Reason)

	planner, read, rule = newMerge(t, true, "false")
	rule.Spec.Source.Name = "nobody"
	planned, err = planner.Make(t.Context(), rule, read)
	require.NoError(t, err)
	assert.Equal(t, v1.ReasonSourceNotFound, planned.Problem.Reason)
}
