package feature_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/feature"
)

// constraint is a version constraint that notes what it is asked.
type constraint struct {
	enabled bool
	err     error
	asked   []string
}

func (c *constraint) Enabled(version string) (bool, error) {
	c.asked = append(c.asked, version)
	return c.enabled, c.err
}

func TestVersionGate(t *testing.T) {
	boom := errors.New("boom")
	yes := func() *constraint { return &constraint{enabled: true} }
	no := func() *constraint { return &constraint{} }
	fails := func() *constraint { return &constraint{enabled: true, err: boom} }
	for name, test := range map[string]struct {
		constraints []*constraint
		when        []bool
		want        bool
		err         error
		asked       int
	}{
		"nothing is open":                    {want: true},
		"all hold":                           {constraints: []*constraint{yes(), yes()}, when: []bool{true, true}, want: true, asked: 2},
		"a false condition asks nothing":     {constraints: []*constraint{fails()}, when: []bool{true, false}},
		"the first that does not hold ends":  {constraints: []*constraint{yes(), no(), fails()}, asked: 2},
		"the first that fails ends":          {constraints: []*constraint{yes(), fails(), no()}, err: boom, asked: 2},
		"conditions alone":                   {when: []bool{true}, want: true},
		"one false condition of several":     {when: []bool{false, true}},
		"constraints without any conditions": {constraints: []*constraint{yes()}, want: true, asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			constraints := []feature.VersionConstraint{nil}
			for _, c := range test.constraints {
				constraints = append(constraints, c, nil)
			}
			gate := feature.NewVersionGate("1.2.3", constraints)
			for _, condition := range test.when {
				assert.Same(t, gate, gate.When(condition))
			}
			enabled, err := gate.Enabled()
			require.ErrorIs(t, err, test.err)
			assert.Equal(t, test.want, enabled && err == nil)
			asked := 0
			for _, c := range test.constraints {
				for _, version := range c.asked {
					assert.Equal(t, "1.2.3", version)
					asked++
				}
			}
			assert.Equal(t, test.asked, asked)
		})
	}
}

func TestBooleanGate(t *testing.T) {
	for _, want := range []bool{true, false} {
		enabled, err := feature.NewBooleanGate(want).Enabled()
		require.NoError(t, err)
		assert.Equal(t, want, enabled)
	}
	enabled, err := feature.NewBooleanGate(true).When(false).Enabled()
	require.NoError(t, err)
	assert.False(t, enabled)
}
