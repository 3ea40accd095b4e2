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
	const badDeadline = "spec.rollout.progressDeadlineSeconds: Forbidden: progressDeadlineSeconds is how long a changed copy may take to be healthy: " +
		"set until to Healthy, or remove it"
	table := []admission{
		{name: "nothing", spec: `{}`},
		{name: "numbers", spec: `{maxUnavailable: 3, maxFailures: 0, minReadySeconds: 604800}`},
		{name: "percentages", spec: `{maxUnavailable: 100%, maxFailures: 0%}`},
		{name: "no waves", spec: `{waves: []}`},
		{name: "a wave", spec: `{waves: [{namespaceSelector: {}, minReadySeconds: 0}]}`},
		{name: "copies have to be written", spec: `{until: Written}`},
		{name: "copies have to be healthy", spec: `{until: Healthy}`},
		{name: "copies have to be healthy in time", spec: `{until: Healthy, progressDeadlineSeconds: 604800}`},

		{name: "something else", spec: `{until: Ready}`, want: []string{`spec.rollout.until: NotSupported: supported values: "Written", "Healthy"`}},
		{name: "no time at all", spec: `{until: Healthy, progressDeadlineSeconds: 0}`, want: []string{
			"spec.rollout.progressDeadlineSeconds: Invalid: should be greater than or equal to 1",
		}},
		{name: "more than a week", spec: `{until: Healthy, progressDeadlineSeconds: 604801}`, want: []string{
			"spec.rollout.progressDeadlineSeconds: Invalid: should be less than or equal to 604800",
		}},
		{name: "a deadline for nothing", spec: `{progressDeadlineSeconds: 60}`, want: []string{badDeadline}},
		{name: "a deadline for what is written", spec: `{until: Written, progressDeadlineSeconds: 60}`, want: []string{badDeadline}},
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
