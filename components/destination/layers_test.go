package destination_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
)

func read(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(manifest), &object.Object))
	return object
}

// merge renders a ConfigMap with layers.
func merge(t *testing.T, spec owner.Spec, layers ...string) (*destination.Renderer, error) {
	t.Helper()
	source := read(t, `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: home, name: base, annotations: {projection.sh/projectable: "true"}}, data: {a: "1"}}`)
	with := destination.Rendering{}
	for _, manifest := range layers {
		with.Layers = append(with.Layers, read(t, manifest))
	}
	spec.Source, spec.Name = v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "base"}, "merged"
	return with.Render(source, owner.Identity{Kind: owner.Projection, Namespace: "away", Name: "rule", UID: "u-1"}, spec, "v1.36.0")
}

func TestLayersAreRenderedByThemselves(t *testing.T) {
	layer := `{apiVersion: v1, kind: Secret, metadata: {namespace: home, name: top, labels: {not: copied}, annotations: {projection.sh/projectable: "namespaces: a=b"}}, data: {b: Mg==, c: Mw==}}`
	spec := owner.Spec{Content: v1.Content{Data: v1.DataFilter{Include: []string{"a", "b"}, AllowMissing: true}}}
	renderer, err := merge(t, spec, layer)
	require.NoError(t, err)
	copied := preview(t, renderer, "away")
	assert.Equal(t, map[string]any{"a": "1", "b": "2"}, copied.Object["data"])
	assert.Empty(t, copied.GetLabels()["not"])
	assert.Equal(t, "a,b", copied.GetAnnotations()[v1.AnnotationPublishedKeys])
	assert.Equal(t, "false", copied.GetAnnotations()[v1.AnnotationProjectable], "a layer is permitted in some namespaces only")
	assert.Equal(t, "Secret/home/top", copied.GetAnnotations()[v1.AnnotationLayers])

	alone, err := merge(t, spec)
	require.NoError(t, err)
	assert.NotEqual(t, alone.Content(), renderer.Content())
	assert.NotContains(t, preview(t, alone, "away").GetAnnotations(), v1.AnnotationLayers)
}

func TestLayerThatLacksKeysIsNamed(t *testing.T) {
	spec := owner.Spec{Content: v1.Content{Data: v1.DataFilter{Include: []string{"a"}}}}
	_, err := merge(t, spec, `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: home, name: top}, data: {b: s3cret}}`)
	var failed *destination.LayerError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, "top", failed.Name)
	var missing *mutations.MissingKeysError
	require.ErrorAs(t, err, &missing)
	assert.NotContains(t, err.Error(), "s3cret")
}

func TestSourcesThatACopyNames(t *testing.T) {
	ref := func(kind, name string) v1.SourceRef { return v1.SourceRef{Kind: kind, Namespace: "home", Name: name} }
	state := destination.State{Content: "hash ConfigMap/home/base Secret/home/top,ConfigMap/home/other"}
	assert.True(t, state.IsOf(ref("ConfigMap", "base")))
	assert.True(t, state.Names(ref("ConfigMap", "base")))
	assert.True(t, state.Names(ref("Secret", "top")))
	assert.True(t, state.Names(ref("ConfigMap", "other")))
	assert.False(t, state.Names(ref("ConfigMap", "top")))
	assert.False(t, state.IsOf(ref("Secret", "top")))
	remote := ref("ConfigMap", "base")
	remote.Cluster = "eu-1"
	assert.False(t, state.IsOf(remote), "an object of another cluster")
	assert.True(t, destination.State{Content: "hash eu-1:ConfigMap/home/base"}.IsOf(remote))
	assert.Equal(t, []string{"Secret/home/top", "ConfigMap/home/other"}, state.Layers())
	assert.Empty(t, destination.State{Content: "hash ConfigMap/home/base"}.Layers())
	assert.Empty(t, destination.State{Content: "hash"}.Layers())
}

func TestValuesOfAMerge(t *testing.T) {
	layer := `{apiVersion: v1, kind: Secret, metadata: {namespace: home, name: top}, data: {b: czNjcmV0}}`
	spec := owner.Spec{
		Content: v1.Content{Data: v1.DataFilter{Include: []string{"a", "b"}, AllowMissing: true}},
		Overlay: v1.Overlay{Fields: []v1.OverlayField{{Path: "data.c", Expression: "source.data.a + source.data.b"}}},
	}
	renderer, err := merge(t, spec, layer)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": "1", "b": "s3cret", "c": "1s3cret"}, preview(t, renderer, "away").Object["data"])

	spec.Overlay.Fields[0].Expression = "string(int(source.data.b))"
	_, err = merge(t, spec, layer)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "s3cret")
}
