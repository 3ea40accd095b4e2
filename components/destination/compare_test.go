package destination_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
)

func TestWhetherACopyHasItsContent(t *testing.T) {
	rule := newRule()
	rule.UID = "uid"
	desired := func(manifest string) destination.DesiredCopy {
		copied, err := render(t, manifest, rule).Copy(in("one", "a"))
		require.NoError(t, err)
		return copied
	}
	state := destination.StateOf(owner.Projection, copyOfTarget(t, render(t, settings("red"), rule), in("one", "a")))
	elsewhere := `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: elsewhere}, data: {color: red}}`

	assert.True(t, desired(settings("red")).HasIn(state))
	assert.False(t, desired(settings("blue")).HasIn(state))
	assert.True(t, desired(settings("blue")).OnlyToExist(false).HasIn(state), "it keeps its content")
	assert.False(t, desired(elsewhere).OnlyToExist(false).HasIn(state), "that of another source it does not keep")
}

func TestWhetherACopyHasTheLayersThatAnotherNames(t *testing.T) {
	rule := newRule()
	of := func(layers ...string) (destination.DesiredCopy, destination.State) {
		rule.Spec.Merge = &v1.Merge{}
		var with destination.Rendering
		for _, name := range layers {
			object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
			object.SetNamespace("home")
			object.SetName(name)
			with.Layers = append(with.Layers, object)
			rule.Spec.Merge.Layers = append(rule.Spec.Merge.Layers, v1.Layer{Kind: "ConfigMap", Namespace: "home", Name: name})
		}
		renderer := renderWith(t, with, original, rule)
		copied, err := renderer.Copy(in("one", "a"))
		require.NoError(t, err)
		return copied, destination.StateOf(owner.Projection, copyOfTarget(t, renderer, in("one", "a")))
	}
	one, namesOne := of("one")
	both, namesBoth := of("one", "two")
	none, namesNone := of()
	assert.True(t, one.MergesAllIn(namesOne))
	assert.True(t, both.MergesAllIn(namesOne))
	assert.True(t, one.MergesAllIn(namesNone))
	assert.False(t, one.MergesAllIn(namesBoth))
	assert.False(t, none.MergesAllIn(namesOne))
}
