package v1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

const (
	anySource = "source: {kind: ConfigMap, namespace: platform, name: app-config}\n"

	badDestinationName = "spec.destination.name: Invalid: this cannot be the name of an object: write it without \"/\" and \"%\", and not as \".\" or \"..\""
	bothTargets        = "spec.destination.namespaceSelector: Forbidden: namespaces and namespaceSelector are mutually exclusive: keep the list or the selector and remove the other"
	noTargets          = "spec.destination.namespaces: Required: at least one of namespaces and namespaceSelector must be set: list the target namespaces, or select them by label, {} selecting all"
	emptyTargets       = "spec.destination.namespaces: Required: list at least one namespace, or remove namespaces and set namespaceSelector"
)

func TestDestinationNameIsCheckedAtAdmission(t *testing.T) {
	table := []admission{
		{name: "renamed", spec: `{name: shared-app-config}`},
		{name: "not renamed", spec: `{name: ""}`},
		{name: "name of a role", spec: `{name: "system:Reader"}`},
		{name: "with namespace", spec: `{name: a/b}`, want: []string{badDestinationName}},
		{name: "two dots", spec: `{name: ".."}`, want: []string{badDestinationName}},
		{name: "too long", spec: `{name: ` + strings.Repeat("n", 254) + `}`, want: []string{"spec.destination.name: TooLong: Too long: may not be more than 253 bytes"}},
	}
	for i := range table {
		table[i].spec = anySource + "destination: " + table[i].spec
	}
	admit(t, v1.KindProjection, table)
	for i := range table {
		table[i].spec = strings.Replace(table[i].spec, "{name", "{namespaces: [a], name", 1)
	}
	admit(t, v1.KindClusterProjection, table)
}

func TestNameExpressionIsCheckedAtAdmission(t *testing.T) {
	const (
		both  = "spec.destination.nameExpression: Forbidden: name and nameExpression are mutually exclusive: keep one and remove the other"
		empty = "spec.destination.nameExpression: Required: write a CEL expression for a name, such as \"'shared-' + source.metadata.name\" or " +
			"\"'settings-' + target.labels['team']\""
	)
	table := []admission{
		{name: "expression", spec: `{nameExpression: "'shared-' + source.metadata.name"}`},
		{name: "expression of another kind", spec: `{nameExpression: "target.name", kind: Secret}`},
		{name: "no expression", spec: `{nameExpression: "target.nme +"}`}, // the operator reports it
		{name: "empty", spec: `{nameExpression: ""}`, want: []string{empty}},
		{name: "with a name", spec: `{nameExpression: target.name, name: x}`, want: []string{both}},
		{name: "with an empty name", spec: `{nameExpression: target.name, name: ""}`, want: []string{both}},
		{name: "longest", spec: `{nameExpression: ` + strings.Repeat("n", 1024) + `}`},
		{name: "too long", spec: `{nameExpression: ` + strings.Repeat("n", 1025) + `}`, want: []string{
			"spec.destination.nameExpression: TooLong: Too long: may not be more than 1024 bytes",
		}},
	}
	for i := range table {
		table[i].spec = anySource + "destination: " + table[i].spec
	}
	admit(t, v1.KindProjection, table)
	for i := range table {
		table[i].spec = strings.Replace(table[i].spec, "{nameExpression", "{namespaces: [a], nameExpression", 1)
	}
	admit(t, v1.KindClusterProjection, table)
}

func TestNamesOfSelectedSourcesAreCheckedAtAdmission(t *testing.T) {
	const (
		several = `source: {kind: ConfigMap, namespace: a, selector: {}}` + "\n"
		one     = "spec.destination.name: Forbidden: selected sources cannot all have one name: remove destination.name, or write destination.nameExpression"
	)
	admit(t, v1.KindProjection, []admission{
		{name: "their own", spec: several + `destination: {}`},
		{name: "expression", spec: several + `destination: {nameExpression: "'shared-' + source.metadata.name"}`},
		{name: "one name", spec: several + `destination: {name: x}`, want: []string{one}},
	})
	admit(t, v1.KindClusterProjection, []admission{
		{name: "their own", spec: several + `destination: {namespaces: [a]}`},
		{name: "expression", spec: several + `destination: {namespaces: [a], nameExpression: "'shared-' + source.metadata.name"}`},
		{name: "one name", spec: several + `destination: {namespaces: [a], name: x}`, want: []string{one}},
	})
}

func TestProjectionNeedsNoDestination(t *testing.T) {
	admit(t, v1.KindProjection, []admission{
		{name: "left out", spec: anySource},
		{name: "empty", spec: anySource + `destination: {}`},
	})
}

func TestTargetsAreCheckedAtAdmission(t *testing.T) {
	admit(t, v1.KindClusterProjection, []admission{
		{name: "list", spec: anySource + `destination: {namespaces: [tenant-a, tenant-b, "1"]}`},
		{name: "longest namespace", spec: anySource + `destination: {namespaces: [` + strings.Repeat("n", 63) + `]}`},
		{name: "selector", spec: anySource + `destination: {namespaceSelector: {matchLabels: {projection.sh/mirror: "true"}}}`},
		{name: "selector of everything", spec: anySource + `destination: {namespaceSelector: {}}`},
		{name: "both", spec: anySource + `destination: {namespaces: [a], namespaceSelector: {}}`, want: []string{bothTargets}},
		{name: "neither", spec: anySource + `destination: {}`, want: []string{noTargets}},
		{name: "only a name", spec: anySource + `destination: {name: x}`, want: []string{noTargets}},
		{name: "empty list", spec: anySource + `destination: {namespaces: []}`, want: []string{emptyTargets}},
		{name: "empty list and selector", spec: anySource + `destination: {namespaces: [], namespaceSelector: {}}`, want: []string{emptyTargets, bothTargets}},
		{name: "bad namespace", spec: anySource + `destination: {namespaces: [tenant-a, Tenant_B]}`, want: []string{
			"spec.destination.namespaces[1]: Invalid: this cannot be the name of a namespace: write lower case letters, digits and \"-\", with a letter or digit at both ends, like \"tenant-a\"",
		}},
		{name: "pattern instead of a name", spec: anySource + `destination: {namespaces: ["*"]}`, want: []string{
			"spec.destination.namespaces[0]: Invalid: this cannot be the name of a namespace: write lower case letters, digits and \"-\", with a letter or digit at both ends, like \"tenant-a\"",
		}},
		{name: "namespace too long", spec: anySource + `destination: {namespaces: [` + strings.Repeat("n", 64) + `]}`, want: []string{"spec.destination.namespaces[0]: TooLong: Too long: may not be more than 63 bytes"}},
		{name: "too many namespaces", spec: anySource + `destination: {namespaces: [` + strings.Join(numbered("ns", 5001), ",") + `]}`, want: []string{"spec.destination.namespaces: TooMany: Too many: 5001: must have at most 5000 items"}},
	})
}

func TestClusterProjectionNeedsDestination(t *testing.T) {
	spec := map[string]any{"source": map[string]any{"kind": "ConfigMap", "namespace": "platform", "name": "app-config"}}

	_, err := rules(v1.KindClusterProjection).Create(t.Context(), rule(v1.KindClusterProjection, "no-destination", spec), metav1.CreateOptions{})

	assert.Equal(t, []string{"spec.destination: Required: Required value"}, causes(t, err))
}

func TestTargetsAreASet(t *testing.T) {
	spec := map[string]any{
		"source":      map[string]any{"kind": "ConfigMap", "namespace": "platform", "name": "app-config"},
		"destination": map[string]any{"namespaces": []any{"tenant-a", "tenant-b", "tenant-a"}},
	}

	_, err := rules(v1.KindClusterProjection).Create(t.Context(), rule(v1.KindClusterProjection, "set", spec), metav1.CreateOptions{})

	require.Error(t, err)
	assert.Contains(t, err.Error(), `spec.destination.namespaces[2]: Duplicate value: "tenant-a"`)
}

// numbered returns n different words of 30 characters or more.
func numbered(prefix string, n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%s-%030d", prefix, i)
	}
	return words
}
