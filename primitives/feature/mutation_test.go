package feature_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/feature"
)

type gate struct {
	enabled bool
	err     error
}

func (g gate) Enabled() (bool, error) { return g.enabled, g.err }

func TestApplyIntent(t *testing.T) {
	gateErr, mutateErr := errors.New("gate"), errors.New("mutate")
	record := func(into *[]string) error { *into = append(*into, "called"); return nil }
	fail := func(*[]string) error { return mutateErr }
	for name, test := range map[string]struct {
		mutation feature.Mutation[*[]string]
		called   bool
		err      error
		text     string
	}{
		"without a gate":                     {mutation: feature.Mutation[*[]string]{Mutate: record}, called: true},
		"with an open gate":                  {mutation: feature.Mutation[*[]string]{Feature: gate{enabled: true}, Mutate: record}, called: true},
		"with a closed gate":                 {mutation: feature.Mutation[*[]string]{Feature: gate{}, Mutate: fail}},
		"with a closed gate and nothing":     {mutation: feature.Mutation[*[]string]{Feature: gate{}}},
		"with a gate that cannot be told":    {mutation: feature.Mutation[*[]string]{Feature: gate{true, gateErr}, Mutate: record}, err: gateErr, text: "gate"},
		"with a mutation that fails":         {mutation: feature.Mutation[*[]string]{Mutate: fail}, err: mutateErr, text: "mutate"},
		"with an open gate and nothing":      {mutation: feature.Mutation[*[]string]{Name: "x", Feature: gate{enabled: true}}, text: "mutation handler of x is nil"},
		"without a gate and without a thing": {mutation: feature.Mutation[*[]string]{Name: "x"}, text: "mutation handler of x is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			var calls []string
			err := test.mutation.ApplyIntent(&calls)
			assert.Equal(t, test.called, len(calls) == 1)
			if test.text == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.text)
			if test.err != nil {
				assert.Same(t, test.err, err, "as it is")
			}
		})
	}
}
