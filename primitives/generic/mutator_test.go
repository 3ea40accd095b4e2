package generic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/generic"
)

func TestMutationsRunInOrderEachInItsFeature(t *testing.T) {
	object := baseline()
	mutated, err := generic.ApplyMutations(object, newMutator,
		[]generic.Mutation[*mutator]{says("a"), off(says("b")), says("c")}, nil)
	require.NoError(t, err)
	assert.Same(t, object, mutated)
	assert.Equal(t, "a||c|", object.Data["log"], "a closed feature has a scope too")
}

func TestSuspensionSeesTheMutatedObjectAndRepeatsNothing(t *testing.T) {
	object := baseline()
	suspend := func(m *mutator) error {
		m.say("suspended after " + m.object.Data["log"])
		return nil
	}
	_, err := generic.ApplyMutations(object, newMutator, []generic.Mutation[*mutator]{says("a")}, suspend)
	require.NoError(t, err)
	assert.Equal(t, "a|suspended after a|", object.Data["log"])
}

func TestErrorsOfMutations(t *testing.T) {
	fails := generic.Mutation[*mutator]{Name: "a", Mutate: func(*mutator) error { return errBoom }}
	cannotApply := generic.Mutation[*mutator]{Name: "a", Mutate: func(m *mutator) error { m.err = errBoom; return nil }}
	for name, test := range map[string]struct {
		mutations []generic.Mutation[*mutator]
		suspender func(*mutator) error
		want      string
	}{
		"a mutation":          {[]generic.Mutation[*mutator]{says("x"), fails}, nil, "failed to apply mutation intent for a: boom"},
		"a gate":              {[]generic.Mutation[*mutator]{{Name: "g", Feature: brokenGate{}}}, nil, "failed to apply mutation intent for g: boom"},
		"applying":            {[]generic.Mutation[*mutator]{cannotApply}, nil, "failed to apply planned mutations: boom"},
		"suspending":          {nil, fails.Mutate, "failed to apply suspension mutations: boom"},
		"applying suspension": {nil, cannotApply.Mutate, "failed to apply suspension mutations: boom"},
	} {
		t.Run(name, func(t *testing.T) {
			mutated, err := generic.ApplyMutations(baseline(), newMutator, test.mutations, test.suspender)
			require.EqualError(t, err, test.want)
			require.ErrorIs(t, err, errBoom)
			assert.Nil(t, mutated)
		})
	}
}

func TestObjectOfAnotherType(t *testing.T) {
	_, err := generic.ApplyMutations(&corev1.Secret{}, newMutator, nil, nil)
	require.EqualError(t, err, "type assertion failed: expected current to be assignable to *v1.ConfigMap, got *v1.Secret")
}

// plain is a mutator that does not tell features apart.
type plain struct{ applied *int }

func (p plain) Apply() error { *p.applied++; return nil }

func TestMutatorWithoutFeatures(t *testing.T) {
	applied := 0
	_, err := generic.ApplyMutations(baseline(), func(*corev1.ConfigMap) plain { return plain{&applied} },
		[]generic.Mutation[plain]{{Name: "a", Mutate: func(plain) error { return nil }}}, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, applied)
}
