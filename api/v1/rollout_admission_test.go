package v1_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
)

const anyTarget = anySource + "destination: {namespaces: [tenant-a]}\n"

func TestRolloutIsCheckedAtAdmission(t *testing.T) {
	const badNumber = ": Invalid: write a number of copies from 0 to 100000, without quotes, or a percentage from 0% to 100%"
	table := []admission{
		{name: "nothing", spec: `{}`},
		{name: "numbers", spec: `{maxUnavailable: 3, maxFailures: 0, minReadySeconds: 604800}`},
		{name: "percentages", spec: `{maxUnavailable: 100%, maxFailures: 0%}`},
		{name: "no waves", spec: `{waves: []}`},
		{name: "a wave", spec: `{waves: [{namespaceSelector: {}, minReadySeconds: 0}]}`},

		{name: "more than the type holds", spec: `{maxUnavailable: 3000000000}`, want: []string{"spec.rollout.maxUnavailable" + badNumber}},
		{name: "more failures than the type holds", spec: `{maxFailures: 3000000000}`, want: []string{"spec.rollout.maxFailures" + badNumber}},
		{name: "a negative number", spec: `{maxUnavailable: -1}`, want: []string{"spec.rollout.maxUnavailable" + badNumber}},
		{name: "a number in quotes", spec: `{maxFailures: "2"}`, want: []string{"spec.rollout.maxFailures" + badNumber}},
		{name: "more than all", spec: `{maxUnavailable: 101%}`, want: []string{"spec.rollout.maxUnavailable" + badNumber}},
		{name: "no number", spec: `{maxUnavailable: all}`, want: []string{"spec.rollout.maxUnavailable" + badNumber}},
		{name: "two lines", spec: `{maxUnavailable: "1%\n2%"}`, want: []string{"spec.rollout.maxUnavailable" + badNumber}},
		{name: "a wave of nothing", spec: `{waves: [{}]}`, want: []string{"spec.rollout.waves[0].namespaceSelector: Required: Required value"}},
	}
	for _, selector := range selectors() {
		for i, want := range selector.want {
			want = strings.ReplaceAll(want, "spec.destination.namespaceSelector", "spec.rollout.waves[0].namespaceSelector")
			if limit := "10"; strings.Contains(want, "TooMany") {
				if strings.Contains(want, ".values") {
					limit = "20"
				}
				want = strings.ReplaceAll(want, "at most 50", "at most "+limit)
			}
			selector.want[i] = want
		}
		selector.name, selector.spec = "selector: "+selector.name, "{waves: [{namespaceSelector: "+selector.spec+"}]}"
		table = append(table, selector)
	}
	for i := range table {
		table[i].spec = anyTarget + "rollout: " + table[i].spec
	}
	admit(t, v1.KindClusterProjection, table)
}

// TestLimitsThatAreAdmittedCanBeRead decodes the greatest numbers. A number that cannot be decoded would keep the operator from every rule.
func TestLimitsThatAreAdmittedCanBeRead(t *testing.T) {
	for text, want := range map[string]intstr.IntOrString{"100000": intstr.FromInt32(100000), "100%": intstr.FromString("100%")} {
		var rollout v1.Rollout
		require.NoError(t, yaml.Unmarshal([]byte("{maxUnavailable: "+text+", maxFailures: "+text+"}"), &rollout))
		assert.Equal(t, &want, rollout.MaxUnavailable)
		assert.Equal(t, &want, rollout.MaxFailures)
	}
}
