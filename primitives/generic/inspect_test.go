package generic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/generic"
)

func TestPreviewChangesNothing(t *testing.T) {
	resource := build(t, staticBuilder().WithMutation(says("a"), off(says("b"))))
	for range 2 {
		object, err := resource.Preview()
		require.NoError(t, err)
		assert.Equal(t, "a||", object.(*corev1.ConfigMap).Data["log"])
	}
	assert.Equal(t, baseline(), resource.DesiredObject)
}

func TestPreviewThatFails(t *testing.T) {
	resource := build(t, staticBuilder().WithMutation(generic.Mutation[*mutator]{Name: "a"}))
	object, err := resource.Preview()
	require.EqualError(t, err, "failed to apply mutation intent for a: mutation handler of a is nil")
	assert.True(t, object == nil, "no typed nil") //nolint:testifylint // Nil does not tell them apart
}

func TestNamesOfMutations(t *testing.T) {
	resource := build(t, staticBuilder().WithMutation(says("b"), off(says("c")), says("a")))
	assert.Equal(t, []string{"b", "c", "a"}, resource.RegisteredMutations())
	firing, err := resource.FiringSet()
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "a"}, firing)

	resource.Mutations = append(resource.Mutations, says("b"))
	assert.Equal(t, []string{"b", "c", "a"}, resource.RegisteredMutations(), "each once")
	firing, err = resource.FiringSet()
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "a"}, firing)

	resource.Mutations = append(resource.Mutations, generic.Mutation[*mutator]{Name: "g", Feature: brokenGate{}})
	_, err = resource.FiringSet()
	require.EqualError(t, err, `evaluating gate for mutation "g": boom`)
}
