package v1_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "projection.sh/operator/api/v1"
)

func TestTargetClustersAreCheckedAtAdmission(t *testing.T) {
	const (
		field      = "spec.destination.clusters"
		none       = field + ".names: Required: at least one of names and selector must be set: list RemoteClusters, or select them by label, {} selecting all"
		both       = field + ".selector: Forbidden: names and selector are mutually exclusive: keep the list or the selector and remove the other"
		empty      = field + ".names: Required: list at least one RemoteCluster, or remove names and set selector"
		exception  = field + ".except: Forbidden: except names clusters that selector would select: remove it, or set selector in place of names"
		name       = ": Invalid: this cannot be the name of a RemoteCluster: write lower case letters, digits and \"-\", with a letter or digit at both ends, like \"eu-1\""
		namespaces = "spec.destination.namespaces: Required: at least one of namespaces and namespaceSelector must be set: list the target namespaces, or select them by label, {} selecting all"
	)
	table := []admission{
		{name: "one name", spec: `{names: [eu-1]}`},
		{name: "names", spec: `{names: [eu-1, eu-2]}`},
		{name: "as many as there may be", spec: `{names: [` + strings.Join(numbered("c", 2000), ", ") + `]}`},
		{name: "all", spec: `{selector: {}}`},
		{name: "labels", spec: `{selector: {matchLabels: {tier: prod}, matchExpressions: [{key: region, operator: In, values: [eu]}]}}`},
		{name: "all but some", spec: `{selector: {}, except: [eu-9]}`},
		{name: "no exception", spec: `{selector: {}, except: []}`},

		{name: "nothing", spec: `{}`, want: []string{none}},
		{name: "names and selector", spec: `{names: [eu-1], selector: {}}`, want: []string{both}},
		{name: "no names", spec: `{names: []}`, want: []string{empty}},
		{name: "exceptions of names", spec: `{names: [eu-1], except: [eu-1]}`, want: []string{exception}},
		{name: "too many", spec: `{names: [` + strings.Join(numbered("c", 2001), ", ") + `]}`, want: []string{field + ".names: TooMany: Too many: 2001: must have at most 2000 items"}},
		{name: "too many exceptions", spec: `{selector: {}, except: [` + strings.Join(numbered("c", 201), ", ") + `]}`, want: []string{field + ".except: TooMany: Too many: 201: must have at most 200 items"}},
		{name: "name with a dot", spec: `{names: [eu-1, eu.2]}`, want: []string{field + ".names[1]" + name}},
		{name: "exception in upper case", spec: `{selector: {}, except: [EU]}`, want: []string{field + ".except[0]" + name}},
		{name: "In without values", spec: `{selector: {matchExpressions: [{key: a, operator: In}]}}`, want: []string{field + ".selector.matchExpressions[0]" + missingValues}},
		{name: "bad value", spec: `{selector: {matchLabels: {team: a/b}}}`, want: []string{field + ".selector.matchLabels[team]: Invalid: " + badLabelValue}},
	}
	for i := range table {
		table[i].spec = anySource + "destination: {namespaces: [a], clusters: " + table[i].spec + "}"
	}
	admit(t, v1.KindClusterProjection, append(table, admission{
		name: "no namespaces", spec: anySource + "destination: {clusters: {names: [eu-1]}}", want: []string{namespaces},
	}))
}

func TestNamespacesThatAreCreated(t *testing.T) {
	const listed = "spec.destination.createNamespaces: Forbidden: only namespaces that are listed are created, and only in other clusters: set clusters and " +
		"namespaces, or remove createNamespaces"
	table := []admission{
		{name: "in other clusters", spec: `{namespaces: [a], clusters: {selector: {}}, createNamespaces: IfMissing}`},
		{name: "never", spec: `{namespaces: [a], createNamespaces: Never}`},

		{name: "in this cluster", spec: `{namespaces: [a], createNamespaces: IfMissing}`, want: []string{listed}},
		{name: "that are selected", spec: `{namespaceSelector: {}, clusters: {selector: {}}, createNamespaces: IfMissing}`, want: []string{listed}},
	}
	for i := range table {
		table[i].spec = anySource + "destination: " + table[i].spec
	}
	admit(t, v1.KindClusterProjection, table)
}

func TestFieldsThatDoNotGoWithTargetClusters(t *testing.T) {
	const (
		clusters = "\ndestination: {namespaces: [a], clusters: {selector: {}}}\n"
		rollout  = "spec.rollout: Forbidden: a rule with destination.clusters cannot have a rollout yet: remove rollout, or create a rule for each group of " +
			"clusters, and change one after the other"
		merge = "spec.merge: Forbidden: copies in other clusters cannot be merged of several objects yet: remove merge, or merge by a rule without " +
			"destination.clusters, and copy the result by a rule with it"
		selector = "spec.source.selector: Forbidden: a rule with destination.clusters cannot select its sources yet: remove source.selector and set source.name, " +
			"and create a rule for each source"
	)
	admit(t, v1.KindClusterProjection, []admission{
		{name: "rollout", spec: anySource + "rollout: {maxFailures: 1}" + clusters, want: []string{rollout}},
		{name: "merge", spec: anySource + "merge: {layers: [{namespace: a, name: b}]}" + clusters, want: []string{merge}},
		{name: "selected sources", spec: `source: {kind: ConfigMap, namespace: a, selector: {}}` + clusters, want: []string{selector}},
		{name: "source in another cluster", spec: `source: {cluster: eu-1, kind: ConfigMap, namespace: a, name: b}` + clusters},
		{name: "all else", spec: anySource + "suspend: true\npolicy: {onConflict: AdoptIdentical}\noverlay: {labels: {a: b}}" + clusters},
	})
}

func TestClusterSelectorSelectsAsLabelSelectorsDo(t *testing.T) {
	prod := &v1.ClusterSelector{
		MatchLabels:      map[string]string{"tier": "prod"},
		MatchExpressions: []v1.WaveSelectorRequirement{{Key: "region", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"us"}}},
	}
	for name, test := range map[string]struct {
		selector *v1.ClusterSelector
		of       labels.Set
		want     bool
	}{
		"nil selects nothing":      {nil, labels.Set{"tier": "prod"}, false},
		"empty selects everything": {&v1.ClusterSelector{}, nil, true},
		"both are met":             {prod, labels.Set{"tier": "prod", "region": "eu"}, true},
		"a label is another":       {prod, labels.Set{"tier": "test"}, false},
		"an expression is not met": {prod, labels.Set{"tier": "prod", "region": "us"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			selector, err := metav1.LabelSelectorAsSelector(test.selector.DeepCopy().LabelSelector())
			require.NoError(t, err)
			assert.Equal(t, test.want, selector.Matches(test.of))
		})
	}
	copied := prod.DeepCopy()
	copied.MatchLabels["tier"], copied.MatchExpressions[0].Values[0] = "test", "eu"
	assert.Equal(t, "prod", prod.MatchLabels["tier"])
	assert.Equal(t, "us", prod.MatchExpressions[0].Values[0])
}
