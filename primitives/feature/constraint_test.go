package feature_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/feature"
)

func TestConstraint(t *testing.T) {
	for _, test := range []struct {
		expression, version string
		want                bool
	}{
		{">= 1.33.0", "1.33.0", true},
		{">= 1.33.0", "v1.33.1", true},
		{">= 1.33", "v1.33.1-eks-595af52", true},
		{">= 1.33", "v1.33.1+k3s1", true},
		{">= 1.33.0", "v1.33.0-rc.1", true},
		{">= 1.33.0", "v1.33.2-gke.4655000+deadbeef", true},
		{">= 1.33", "v1.33.1-eks_595af52", true},
		{">= 1.33", "1.33+", true},
		{">= 1.33", "v1.32.9-eks-595af52", false},
		{"< 1.33", "v1.33.0-alpha.1", false},
		{"< 1.33", "v1.32.2", true},
		{">= 1.32, < 1.35", "v1.34.0", true},
		{">= 1.32, < 1.35", "v1.35.0", false},
		{"~1.33.2", "1.33", false},
	} {
		t.Run(test.version+" "+test.expression, func(t *testing.T) {
			enabled, err := feature.MustConstraint(test.expression).Enabled(test.version)
			require.NoError(t, err)
			assert.Equal(t, test.want, enabled)
		})
	}
}

func TestConstraintThatIsNotUnderstood(t *testing.T) {
	_, err := feature.NewConstraint(">= one")
	require.ErrorContains(t, err, `version constraint ">= one": `)
	assert.Panics(t, func() { feature.MustConstraint(">= one") })
	for _, version := range []string{"", "latest", "v", "1.2.3.4"} {
		enabled, err := feature.MustConstraint(">= 1.33").Enabled(version)
		require.ErrorContains(t, err, fmt.Sprintf("compare version %q with %q: ", version, ">= 1.33"))
		assert.False(t, enabled)
	}
}

func ExampleNewVersionGate() {
	gate := feature.NewVersionGate("v1.33.1-eks-595af52", []feature.VersionConstraint{
		feature.MustConstraint(">= 1.33"),
	}).When(true)
	enabled, err := gate.Enabled()
	fmt.Println(enabled, err)
	// Output: true <nil>
}

func ExampleMutation() {
	mutation := feature.Mutation[map[string]string]{
		Name:    "dark-theme",
		Feature: feature.NewBooleanGate(true),
		Mutate: func(settings map[string]string) error {
			settings["theme"] = "dark"
			return nil
		},
	}
	settings := map[string]string{}
	fmt.Println(mutation.ApplyIntent(settings), settings)
	// Output: <nil> map[theme:dark]
}
