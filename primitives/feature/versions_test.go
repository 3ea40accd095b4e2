package feature_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/feature"
)

func TestBetween(t *testing.T) {
	for _, test := range []struct {
		version, from, below string
		want                 bool
	}{
		{"1.9.9", "2.0.0", "3.0.0", false},
		{"2.0.0", "2.0.0", "3.0.0", true},
		{"2.9.9", "2.0.0", "3.0.0", true},
		{"3.0.0", "2.0.0", "3.0.0", false},
		{"v2.1.0-eks-abc+1", "v2", "2.2", true},
		{"3.0.0-rc.1", "2.0.0", "3.0.0", false},
		{"2.0.0-rc.1", "2.0.0", "3.0.0", true},
		{"2.0.0", "2.0.0", "2.0.0", false},
		{"2.5.0", "3.0.0", "2.0.0", false},
	} {
		enabled, err := feature.Between(test.version, test.from, test.below).Enabled()
		require.NoError(t, err)
		assert.Equal(t, test.want, enabled, test)
	}
}

func TestSplitOpensExactlyOneGate(t *testing.T) {
	for version, want := range map[string]bool{"1.9.9": false, "2.0.0": true, "2.0.0-rc.1": true, "v2.4": true, "1": false} {
		before, from := feature.Split(version, "2.0.0")
		isBefore, err := before.Enabled()
		require.NoError(t, err)
		isFrom, err := from.Enabled()
		require.NoError(t, err)
		assert.Equal(t, want, isFrom, version)
		assert.Equal(t, !want, isBefore, version)
	}
}

func TestVersionsThatAreNotUnderstood(t *testing.T) {
	before, from := feature.Split("latest", "2.0.0")
	noneBefore, noneFrom := feature.Split("2.0.0", ">= 2")
	for _, test := range []struct {
		gate feature.Gate
		want string
	}{
		{before, `compare version "latest" with "2.0.0": `},
		{from, `compare version "latest" with "2.0.0": `},
		{noneBefore, `version bound ">= 2": `},
		{noneFrom, `version bound ">= 2": `},
		{feature.Between("", "1.0.0", "2.0.0"), `compare version "" with "1.0.0": `},
		{feature.Between("1.0.0", "", "2.0.0"), `version bound "": `},
		{feature.Between("1.0.0", "2.0.0", "3 || 4"), `version bound "3 || 4": `},
	} {
		enabled, err := test.gate.Enabled()
		require.ErrorContains(t, err, test.want)
		assert.False(t, enabled)
	}
}

func ExampleBetween() {
	for _, version := range []string{"1.9.0", "2.0.0", "2.4.1", "3.0.0"} {
		enabled, err := feature.Between(version, "2.0.0", "3.0.0").Enabled()
		fmt.Println(version, enabled, err)
	}
	// Output:
	// 1.9.0 false <nil>
	// 2.0.0 true <nil>
	// 2.4.1 true <nil>
	// 3.0.0 false <nil>
}

// A field has another shape since 2.0.0: one mutation for each shape, and every version gets exactly one.
func ExampleSplit() {
	before, from := feature.Split("2.1.0", "2.0.0")
	mutations := []feature.Mutation[map[string]string]{
		{Name: "port-name-v1", Feature: before, Mutate: func(s map[string]string) error { s["port"] = "web"; return nil }},
		{Name: "port-name-v2", Feature: from, Mutate: func(s map[string]string) error { s["port"] = "http"; return nil }},
	}
	settings := map[string]string{}
	for i := range mutations {
		if err := mutations[i].ApplyIntent(settings); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(settings)
	// Output: map[port:http]
}
