package mutations_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
	"projection.sh/operator/primitives/unstructured"
)

// row is one case of a table: YAML before and after a mutation. An empty after means unchanged.
type row struct{ name, before, after string }

// run checks one mutation of the pipeline against a table, and that it changes nothing the second time.
func run(t *testing.T, mutation string, in mutations.Input, rows []row) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			wanted := row.after
			if wanted == "" {
				wanted = row.before
			}
			once := apply(t, mutation, in, content(t, row.before))
			require.Equal(t, content(t, wanted), once)
			require.Equal(t, content(t, wanted), apply(t, mutation, in, once), "the second time")
		})
	}
}

// apply sends content through one mutation of the pipeline, if its gate is open.
func apply(t testing.TB, name string, in mutations.Input, content map[string]any) map[string]any {
	t.Helper()
	result, err := tryApply(t, name, in, content)
	require.NoError(t, err)
	return result
}

func tryApply(t testing.TB, name string, in mutations.Input, content map[string]any) (map[string]any, error) {
	t.Helper()
	pipeline := mutations.ForDestination(in)
	i := slices.IndexFunc(pipeline, func(m unstructured.Mutation) bool { return m.Name == name })
	require.GreaterOrEqual(t, i, 0, "no mutation is named %s", name)
	obj := (&uns.Unstructured{Object: content}).DeepCopy()
	mutator := unstructured.NewMutator(obj)
	if err := pipeline[i].ApplyIntent(mutator); err != nil {
		return nil, err
	}
	err := mutator.Apply()
	return obj.Object, err
}

// render sends a copy of the object through the whole pipeline.
func render(in mutations.Input, source *uns.Unstructured) (*uns.Unstructured, error) {
	copied := source.DeepCopy()
	mutator := unstructured.NewMutator(copied)
	for _, m := range mutations.ForDestination(in) {
		mutator.NextFeature()
		if err := m.ApplyIntent(mutator); err != nil {
			return nil, err
		}
	}
	return copied, mutator.Apply()
}

// content reads YAML as the API machinery does: integers stay integers.
func content(t testing.TB, text string) map[string]any {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(asJSON, &fields))
	return fields
}

func kind(group, name string) mutations.Input {
	return mutations.Input{Kind: schema.GroupKind{Group: group, Kind: name}}
}

var (
	byProjection = mutations.Stamp{
		AnnotationKey: v1.AnnotationOwnedByProjection, AnnotationValue: "team/rule",
		LabelKey: v1.LabelOwnedByProjectionUID, LabelValue: "9b2f8a34-1d57-4f0e-8a21-0c1d2e3f4a5b",
	}
	byClusterProjection = mutations.Stamp{
		AnnotationKey: v1.AnnotationOwnedByClusterProjection, AnnotationValue: "everywhere",
		LabelKey: v1.LabelOwnedByClusterProjectionUID, LabelValue: "77c0d5a1-2b3c-4d5e-9f60-718293a4b5c6",
	}
)
