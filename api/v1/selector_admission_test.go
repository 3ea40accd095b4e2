package v1_test

import (
	"strings"
	"testing"

	v1 "projection.sh/operator/api/v1"
)

const (
	missingValues = ".values: Required: the operators In and NotIn compare with values: list at least one, or use Exists or DoesNotExist"
	needlessValue = ".values: Forbidden: the operators Exists and DoesNotExist ask for the key alone: remove values, or use In or NotIn"
)

func TestSelectorIsCheckedAtAdmission(t *testing.T) {
	table := selectors()
	for i := range table {
		table[i].spec = anySource + "destination: {namespaceSelector: " + table[i].spec + "}"
	}
	admit(t, v1.KindClusterProjection, table)
}

// selectors are selectors alone, and what the API server says when a ClusterProjection has them.
func selectors() []admission {
	const (
		selector   = "spec.destination.namespaceSelector"
		expression = selector + ".matchExpressions[0]"
	)
	return []admission{
		{name: "labels", spec: `{matchLabels: {team: a, kubernetes.io/metadata.name: b, empty: ""}}`},
		{name: "every operator", spec: `{matchExpressions: [{key: a, operator: In, values: [x, ""]}, {key: example.com/b, operator: NotIn, values: [x]}, {key: c, operator: Exists}, {key: d, operator: DoesNotExist, values: []}]}`},
		{name: "our own labels", spec: `{matchLabels: {projection.sh/mirror: "true"}}`},

		{name: "bad key", spec: `{matchLabels: {"my team": a}}`, want: []string{selector + `.matchLabels: Invalid: "my team"` + badLabelKey}},
		{name: "bad value", spec: `{matchLabels: {team: a/b}}`, want: []string{selector + ".matchLabels[team]: Invalid: " + badLabelValue}},
		{name: "operator in lower case", spec: `{matchExpressions: [{key: a, operator: in, values: [x]}]}`, want: []string{expression + `.operator: NotSupported: supported values: "In", "NotIn", "Exists", "DoesNotExist"`}},
		{name: "In without values", spec: `{matchExpressions: [{key: a, operator: In}]}`, want: []string{expression + missingValues}},
		{name: "NotIn with an empty list", spec: `{matchExpressions: [{key: a, operator: NotIn, values: []}]}`, want: []string{expression + missingValues}},
		{name: "Exists with values", spec: `{matchExpressions: [{key: a, operator: Exists, values: [x]}]}`, want: []string{expression + needlessValue}},
		{name: "DoesNotExist with values", spec: `{matchExpressions: [{key: a, operator: DoesNotExist, values: [x]}]}`, want: []string{expression + needlessValue}},
		{name: "bad key of an expression", spec: `{matchExpressions: [{key: my team, operator: Exists}]}`, want: []string{expression + ".key: Invalid: this" + badLabelKey}},
		{name: "empty key", spec: `{matchExpressions: [{key: "", operator: Exists}]}`, want: []string{expression + ".key: Invalid: this" + badLabelKey}},
		{name: "bad value of an expression", spec: `{matchExpressions: [{key: a, operator: In, values: [x, -y]}]}`, want: []string{expression + ".values[1]: Invalid: " + badLabelValue}},
		{name: "expression without operator", spec: `{matchExpressions: [{key: a, values: [x]}]}`, want: []string{expression + ".operator: Required: Required value"}},
		{name: "expression without key", spec: `{matchExpressions: [{operator: Exists}]}`, want: []string{expression + ".key: Required: Required value"}},
		{name: "too many labels", spec: `{matchLabels: {` + strings.Join(numbered("k", 51), ": x, ") + `: x}}`, want: []string{selector + ".matchLabels: TooMany: Too many: 51: must have at most 50 items"}},
		{name: "too many values", spec: `{matchExpressions: [{key: a, operator: In, values: [` + strings.Join(numbered("k", 51), ", ") + `]}]}`, want: []string{expression + ".values: TooMany: Too many: 51: must have at most 50 items"}},
	}
}
