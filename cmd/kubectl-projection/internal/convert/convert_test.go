package convert_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/convert"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// TestPublishedResourcesOfSyncAgent compares what is written for testdata/NAME.yaml with testdata/NAME.txt.
func TestPublishedResourcesOfSyncAgent(t *testing.T) {
	for _, name := range []string{"certificates", "legacy", "least"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
			require.NoError(t, err)
			result, err := convert.Convert(read(t, string(text)), convert.Options{})
			require.NoError(t, err)
			var written bytes.Buffer
			require.NoError(t, result.Write(&written))
			golden(t, name, written.String())
		})
	}
}

func read(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &object.Object))
	return object
}

func golden(t *testing.T, name, written string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(written), 0o600))
	}
	wanted, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(wanted), written)
}

// published returns what becomes of a resource with this field of its spec.
func published(t *testing.T, field string) *convert.Result {
	t.Helper()
	const resource = "metadata: {name: certs}\nspec:\n  resource: {apiGroup: cert-manager.io, kind: Certificate, versions: [v1]}\n  "
	result, err := convert.Convert(read(t, resource+field), convert.Options{Consumers: &v1.ClusterTargets{Names: []string{"eu-1"}}, Group: "certs.example.com"})
	require.NoError(t, err)
	return result
}

func TestNamesOfCopies(t *testing.T) {
	for template, wanted := range map[string]string{
		"kube-system":                         "'kube-system'",
		"$remoteNamespace-$remoteName":        "object.metadata.namespace + '-' + object.metadata.name",
		"$remoteNameHash":                     "hash(object.metadata.name)",
		"  {{ .Object.metadata.name }}  ":     "object.metadata.name",
		"{{ .Object.spec.replicas }}":         "string(object.spec.replicas)",
		"{{ .Object.metadata.name | upper }}": "object.metadata.name.upperAscii()",
		`{{ sha3short (printf "%s/%s" .ClusterName .Object.metadata.name) 8 }}`: "hash((cluster.name + '/' + object.metadata.name))",
		`{{ .Object.metadata.name | replace "." "-" | trunc 40 }}`:              "(size(object.metadata.name.replace('.', '-')) > 40 ? object.metadata.name.replace('.', '-').substring(0, 40) : object.metadata.name.replace('.', '-'))",
		`{{ index .Object.metadata.labels "example.com/team" }}`:                "string(object.metadata.labels['example.com/team'])",
		`it's {{ .Object.metadata.name }}`:                                      `'it\'s ' + object.metadata.name`,
		"{{ .ClusterPath }}":                                                    "",
		"{{ if .ClusterName }}a{{ end }}":                                       "",
		"{{ $x := .ClusterName }}a":                                             "",
		"{{ .Object.metadata.name | b64enc }}":                                  "",
		"{{ .Side }}":                                                           "",
		"{{ .Object.metadata.name ":                                             "",
		"$remoteCluster":                                                        "",
	} {
		result := published(t, "naming: {name: "+quoted(t, template)+"}")
		assert.Equal(t, wanted, result.Resource.Spec.Naming.Name, template)
		assert.Equal(t, wanted == "", len(result.Lost) == 1, "%s: %v", template, result.Lost)
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	encoded, err := yaml.Marshal(text)
	require.NoError(t, err)
	json, err := yaml.YAMLToJSON(encoded)
	require.NoError(t, err)
	return string(json)
}

func TestStepsOfMutations(t *testing.T) {
	for step, wanted := range map[string]string{
		`delete: {path: spec.a.#.b}`:                                             "exclude spec.a[*].b",
		`delete: {path: 'spec.a\.b.c'}`:                                          `exclude spec["a.b"].c`,
		`delete: {path: spec.list.0}`:                                            "",
		`delete: {path: 'spec.list.#(name=="a")'}`:                               "",
		`delete: {path: metadata.labels.a}`:                                      "",
		`delete: {path: status.a}`:                                               "",
		`delete: {path: ""}`:                                                     "",
		`regex: {path: spec.a, replacement: "b"}`:                                "spec.a: 'b'",
		`regex: {path: spec.a, pattern: "^(.+)$", replacement: "x-${1}-$1"}`:     "spec.a: object.?spec.?a.hasValue() ? optional.of('x-' + string(object.spec.a) + '-' + string(object.spec.a)) : optional.none()",
		`regex: {path: spec.a, pattern: "(.+)", replacement: "$1x"}`:             "",
		`regex: {path: spec.a, pattern: "a.c", replacement: "b"}`:                "",
		`regex: {path: spec.a, pattern: "ac", replacement: "b"}`:                 "spec.a: object.?spec.?a.hasValue() ? optional.of(string(object.spec.a).replace('ac', 'b')) : optional.none()",
		`regex: {path: spec.a, pattern: "^", replacement: "b"}`:                  "spec.a: object.?spec.?a.hasValue() ? optional.of('b' + string(object.spec.a)) : optional.none()",
		`regex: {path: 'metadata.labels.example\.com/a', replacement: b}`:        `metadata.labels["example.com/a"]: 'b'`,
		`regex: {path: 'metadata.labels.projection\.sh/a', replacement: b}`:      "",
		`regex: {path: metadata.name, replacement: b}`:                           "",
		`regex: {path: "spec.#.a", replacement: b}`:                              "",
		`template: {path: spec.a, template: "{{ .Value }}-x"}`:                   "spec.a: object.?spec.?a.hasValue() ? optional.of(string(object.spec.a) + '-x') : optional.none()",
		`template: {path: spec.a, template: "{{ .RemoteObject.spec.a }}"}`:       "",
		`template: {path: spec.a, template: "{{ .LocalObject.metadata.name }}"}`: "",
		`cel: {path: spec.a, expression: "self.spec.b + 'self value'"}`:          "spec.a: object.spec.b + 'self value'",
		`cel: {path: spec.a, expression: "value + 1"}`:                           "spec.a: object.?spec.?a.hasValue() ? optional.of(object.spec.a + 1) : optional.none()",
		`cel: {path: spec.a, expression: "self.other.value"}`:                    "spec.a: object.other.value",
		`cel: {path: spec.a, expression: "other.spec.a"}`:                        "",
		`cel: {path: spec.a, expression: "self.spec.list.map(value, value)"}`:    "",
		`cel: {path: spec.a, expression: "self.spec.a.format([1])"}`:             "",
		`{}`: "",
	} {
		result := published(t, "mutation:\n    spec:\n      - "+step)
		to := result.Resource.Spec.Mutation.ToService
		given := ""
		for _, excluded := range to.Exclude {
			given = "exclude " + excluded
		}
		for _, field := range to.Fields {
			given = field.Path + ": " + field.Expression
		}
		assert.Equal(t, wanted, given, step)
		assert.Equal(t, wanted == "", len(result.Lost) == 1, "%s: %v", step, result.Lost)
	}
}

func TestWhatIsNoPublishedResource(t *testing.T) {
	for _, text := range []string{"metadata: {name: a}\nspec: {}", "metadata: {name: a}\nspec: {resource: {apiGroup: a.b, kind: 3}}"} {
		_, err := convert.Convert(read(t, text), convert.Options{})
		assert.ErrorContains(t, err, "the PublishedResource a of api-syncagent")
	}
}
