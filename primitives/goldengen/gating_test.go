package goldengen_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/goldengen"
)

func TestClassifyRegimes(t *testing.T) {
	assert.Empty(t, goldengen.ClassifyRegimes(nil, nil))
	regimes := goldengen.ClassifyRegimes([]string{"3", "1", "2", "4", "5"}, map[string][]string{
		"1": {"b", "a"}, "2": {"c"}, "3": {"a", "b", "a"}, "4": {}, "6": {"not a version"},
	})
	assert.Equal(t, []goldengen.Regime{
		{Representative: "3", Versions: []string{"3", "1"}, Firing: []string{"a", "b"}},
		{Representative: "2", Versions: []string{"2"}, Firing: []string{"c"}},
		{Representative: "4", Versions: []string{"4", "5"}},
	}, regimes)
}

func TestClassifyRegimesLeavesItsArgumentsAlone(t *testing.T) {
	firing := map[string][]string{"1": {"b", "a"}}
	goldengen.ClassifyRegimes([]string{"1"}, firing)
	assert.Equal(t, []string{"b", "a"}, firing["1"])
}

func TestCheckGating(t *testing.T) {
	versions := []string{"1", "2"}
	firing := map[string][]string{"1": {"always"}, "2": {"always", "late"}}
	one := func(name, version string) []goldengen.Expect { return []goldengen.Expect{{Name: name, For: version}} }
	for name, test := range map[string]struct {
		requires, forbids []goldengen.Expect
		want              string
	}{
		"nothing is expected":   {},
		"all holds":             {requires: []goldengen.Expect{{Name: "late"}, {Name: "late", For: "2"}}, forbids: []goldengen.Expect{{Name: "x"}, {Name: "late", For: "1"}}},
		"never fires":           {requires: one("x", ""), forbids: one("late", ""), want: `fixture "f": required mutation "x" never fires across the version sweep`},
		"does not fire at":      {requires: one("late", "1"), want: `fixture "f": required mutation "late" does not fire at 1`},
		"fires somewhere":       {forbids: one("late", ""), want: `fixture "f": forbidden mutation "late" fires somewhere across the version sweep`},
		"fires at":              {forbids: one("always", "1"), want: `fixture "f": forbidden mutation "always" fires at 1`},
		"the first is reported": {requires: []goldengen.Expect{{Name: "always"}, {Name: "y"}, {Name: "x"}}, want: `fixture "f": required mutation "y" never fires across the version sweep`},
	} {
		t.Run(name, func(t *testing.T) {
			err := goldengen.CheckGating(goldengen.Fixture[spec]{Name: "f", Requires: test.requires, Forbids: test.forbids}, versions, firing)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			assert.EqualError(t, err, test.want)
		})
	}
}
