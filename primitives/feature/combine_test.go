package feature_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/feature"
)

func TestCombinedGates(t *testing.T) {
	boom, other := errors.New("boom"), errors.New("other")
	open, closed := gate{enabled: true}, gate{}
	fails := gate{enabled: true, err: boom}
	for name, test := range map[string]struct {
		gate feature.Gate
		want bool
		err  error
	}{
		"all of none":                   {gate: feature.All(), want: true},
		"all that are open":             {gate: feature.All(open, open), want: true},
		"all but one":                   {gate: feature.All(open, closed, open)},
		"all with a nil gate":           {gate: feature.All(nil, open), want: true},
		"all with an error":             {gate: feature.All(open, fails), err: boom},
		"all, an error after a no":      {gate: feature.All(closed, fails), err: boom},
		"all, the first error":          {gate: feature.All(fails, gate{err: other}), err: boom},
		"any of none":                   {gate: feature.Any()},
		"any that is open":              {gate: feature.Any(closed, open), want: true},
		"any, all closed":               {gate: feature.Any(closed, closed)},
		"any with a nil gate":           {gate: feature.Any(closed, nil), want: true},
		"any, an error after a yes":     {gate: feature.Any(open, fails), err: boom},
		"not open":                      {gate: feature.Not(open)},
		"not closed":                    {gate: feature.Not(closed), want: true},
		"not nil":                       {gate: feature.Not(nil)},
		"not, with an error":            {gate: feature.Not(gate{err: boom}), err: boom},
		"combinations of combinations":  {gate: feature.All(feature.Not(closed), feature.Any(closed, feature.All())), want: true},
		"an error inside a combination": {gate: feature.Any(open, feature.Not(feature.All(fails))), err: boom},
	} {
		t.Run(name, func(t *testing.T) {
			enabled, err := test.gate.Enabled()
			assert.Equal(t, test.want, enabled)
			if test.err == nil {
				require.NoError(t, err)
				return
			}
			assert.Same(t, test.err, err, "as it is")
		})
	}
}

func ExampleAll() {
	version, tracing, windows := "2.3.0", true, false
	gate := feature.All(
		feature.NewVersionGate(version, []feature.VersionConstraint{feature.MustConstraint(">= 2.0.0")}),
		feature.Any(feature.NewBooleanGate(tracing), feature.NewBooleanGate(false)),
		feature.Not(feature.NewBooleanGate(windows)),
	)
	fmt.Println(gate.Enabled())
	// Output: true <nil>
}
