package v1_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
)

// admission is one object as a user writes it, and what the API server says to it: nothing, or one line for each cause,
// "<field>: <type>: <sentence>", in which <pattern> stands for the words about a pattern of the schema.
type admission struct {
	name string
	spec string
	want []string
}

// bothKinds runs a table whose specs lack the destination with both kinds.
func bothKinds(t *testing.T, table []admission) {
	t.Helper()
	for _, kind := range []string{v1.KindProjection, v1.KindClusterProjection} {
		t.Run(kind, func(t *testing.T) { admit(t, kind, table) })
	}
}

// admit applies each spec of the table as kubectl does. A ClusterProjection without a destination gets a valid one.
func admit(t *testing.T, kind string, table []admission) {
	t.Helper()
	for _, test := range table {
		t.Run(test.name, func(t *testing.T) {
			assert.ElementsMatch(t, test.want, causes(t, apply(t, kind, test.spec)))
		})
	}
}

func apply(t *testing.T, kind, written string) error {
	t.Helper()
	spec := parse(t, written)
	if _, has := spec["destination"]; !has && kind == v1.KindClusterProjection {
		spec["destination"] = map[string]any{"namespaces": []any{"tenant-a"}}
	}
	_, err := rules(kind).Apply(t.Context(), "admission", rule(kind, "admission", spec),
		metav1.ApplyOptions{FieldManager: "kubectl", DryRun: []string{metav1.DryRunAll}})
	return err
}

func parse(t *testing.T, written string) map[string]any {
	t.Helper()
	var content map[string]any
	require.NoError(t, yaml.UnmarshalStrict([]byte(written), &content))
	return content
}

// wording is what differs between versions of Kubernetes or repeats the input, and what the tests expect in its place.
var wording = []struct {
	found *regexp.Regexp
	told  string
}{
	{regexp.MustCompile(`^(?:Invalid value|Required value|Forbidden|Unsupported value)(?:: (?:"(?:[^"\\]|\\.)*"|null|-?\d+))?: `), ""},
	{regexp.MustCompile(`^Duplicate value: .*$`), "Duplicate value"},
	{regexp.MustCompile(`^\S+ in body `), ""},
	{regexp.MustCompile(`^should match '.*'$`), "<pattern>"},
}

// causes returns what the API server reports of a refused object.
func causes(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var refused *apierrors.StatusError
	require.ErrorAs(t, err, &refused)
	require.NotNil(t, refused.ErrStatus.Details, err)
	var lines []string
	for _, cause := range refused.ErrStatus.Details.Causes {
		if cause.Field == "<nil>" { // "some validation rules were not checked"
			continue
		}
		sentence := cause.Message
		for _, words := range wording {
			sentence = words.found.ReplaceAllString(sentence, words.told)
		}
		lines = append(lines, strings.Join([]string{cause.Field, strings.TrimPrefix(string(cause.Type), "FieldValue"), sentence}, ": "))
	}
	require.NotEmpty(t, lines, err)
	return lines
}
