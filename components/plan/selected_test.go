package plan_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/source"
)

// selectedObject returns a ConfigMap that a selector selects, and whose owner consents if the annotation says so.
func selectedObject(name, consent string) unstructured.Unstructured {
	object := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{name: "red"},
		"metadata": map[string]any{"namespace": "home", "name": name, "annotations": map[string]any{v1.AnnotationProjectable: consent}},
	}}
	return object
}

// newSelection returns a planner of a rule that merges what its selector selects, which are the objects.
func newSelection(t *testing.T, objects ...unstructured.Unstructured) (*plan.Planner[*v1.Projection], plan.Read, *v1.Projection) {
	t.Helper()
	planner, read, rule := newMerge(t, true)
	rule.Spec.Source = v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Selector: &v1.SourceSelector{}}
	rule.Spec.Destination = v1.ProjectionDestination{Name: "all"}
	planner.List = func(_ context.Context, of source.Selection, do func(*unstructured.Unstructured) bool) error {
		assert.Equal(t, "home", of.Namespace)
		for i := range objects {
			if !do(objects[i].DeepCopy()) {
				return nil
			}
		}
		return nil
	}
	return planner, read, rule
}

func TestPlanOfAMergeOfWhatIsSelected(t *testing.T) {
	own, ending := selectedObject("own", "true"), selectedObject("ending", "true")
	own.SetLabels(map[string]string{owner.Projection.Label: "u-1"})
	ending.SetDeletionTimestamp(new(metav1.Now()))
	planner, read, rule := newSelection(t, selectedObject("denied", "false"), selectedObject("first", "true"), own, ending, selectedObject("second", "true"))
	planned, err := planner.Make(t.Context(), rule, read)
	require.NoError(t, err)
	require.Zero(t, planned.Problem)
	assert.Equal(t, 2, planned.Merged)
	require.Len(t, planned.Targets, 1)
	copied, err := planned.Targets[0].Renderer.Copy(destination.Target{Namespace: "away", Name: "all"})
	require.NoError(t, err)
	assert.Contains(t, copied.Content, " ConfigMap/home/* ConfigMap/home/first,ConfigMap/home/second")
	var members []string
	for _, layer := range planned.Spec.Merge.Layers {
		members = append(members, layer.Source.Name)
	}
	assert.Equal(t, []string{"denied", "first", "second"}, members, "no copy takes their place")
}

func TestPlanOfAMergeOfNothing(t *testing.T) {
	for message, objects := range map[string][]unstructured.Unstructured{
		"source.selector matches no ConfigMap in home":                      nil,
		"source.selector matches no ConfigMap in home whose owner consents": {selectedObject("denied", "false")},
	} {
		planner, read, rule := newSelection(t, objects...)
		planned, err := planner.Make(t.Context(), rule, read)
		require.NoError(t, err)
		assert.Equal(t, v1.ReasonSourceNotFound, planned.Problem.Reason)
		assert.Equal(t, message, planned.Problem.Message)
	}
}

func TestPlanWithALayerThatIsSelected(t *testing.T) {
	for name, consent := range map[string]string{"that there is": "true", "that there is not": "false"} {
		planner, read, rule := newSelection(t, selectedObject("layer", consent))
		rule.Spec.Source = newSource(t, "true").Spec.Source
		rule.Spec.Merge.Layers = []v1.Layer{{Namespace: "home", Selector: &v1.SourceSelector{}}}
		planned, err := planner.Make(t.Context(), rule, read)
		if consent == "true" {
			require.NoError(t, err, name)
			assert.Equal(t, 1, planned.Merged, name)
			continue
		}
		var stopped *plan.Error
		require.ErrorAs(t, err, &stopped, name)
		assert.Equal(t, "a selector in merge.layers matches no ConfigMap in home whose owner consents", stopped.Message, name)
		assert.True(t, stopped.EndsDropped, name)
	}
}

func TestPlanOfAMergeOfTooMuch(t *testing.T) {
	many := make([]unstructured.Unstructured, v1.MaxSources+2)
	for i := range many {
		many[i] = selectedObject(fmt.Sprintf("source-%03d", i), "true")
	}
	large := make([]unstructured.Unstructured, 5)
	for i := range large {
		large[i] = selectedObject(fmt.Sprintf("source-%d", i), "true")
		large[i].Object["data"] = map[string]any{"key": strings.Repeat("x", 1<<20)}
	}
	for message, objects := range map[string][]unstructured.Unstructured{
		"the selectors of this rule match more than 500 objects; a rule merges at most 500":  many,
		"the source and the layers have together more than 4 MiB, and an object holds 1 MiB": large,
	} {
		planner, read, rule := newSelection(t, objects...)
		list, listed := planner.List, 0
		planner.List = func(ctx context.Context, of source.Selection, do func(*unstructured.Unstructured) bool) error {
			return list(ctx, of, func(object *unstructured.Unstructured) bool {
				listed++
				return do(object)
			})
		}
		_, err := planner.Make(t.Context(), rule, read)
		var stopped *plan.Error
		require.ErrorAs(t, err, &stopped)
		assert.Equal(t, message, stopped.Message)
		assert.LessOrEqual(t, listed, v1.MaxSources+1, "the list ends")
	}
}

// TestOwnCopyAsALayer keeps the copies: nobody has opted out.
func TestOwnCopyAsALayer(t *testing.T) {
	planner, read, rule := newMerge(t, false, "true")
	rule.Namespace = rule.Spec.Merge.Layers[0].Namespace
	planned := func(ctx context.Context, kind source.Kind, ref v1.SourceRef) (*unstructured.Unstructured, error) {
		object, err := read(ctx, kind, ref)
		if err == nil && ref.Namespace == rule.Namespace {
			object.SetAnnotations(map[string]string{owner.Projection.Annotation: rule.Namespace + "/rule"})
		}
		return object, err
	}
	_, err := planner.Make(t.Context(), rule, planned)
	var stopped *plan.Error
	require.ErrorAs(t, err, &stopped)
	assert.Equal(t, v1.ReasonSourceNotProjectable, stopped.Reason)
	assert.Contains(t, stopped.Message, "is a copy of this rule")
}
