package migrate_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/cmd/kubectl-projection/internal/migrate"
	"projection.sh/operator/components/policy"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// TestRulesInPlaceOfATool compares what is written for the objects of testdata/TOOL.yaml with testdata/TOOL.txt.
func TestRulesInPlaceOfATool(t *testing.T) {
	for _, name := range []string{"config-syncer", "kyverno", "reflector", "replicator"} {
		t.Run(name, func(t *testing.T) {
			tool, found := migrate.Of(name)
			require.True(t, found)
			results := rules(t, tool, name, migrate.World{Namespaces: namespaces, Excluded: []string{"kube-system"}, Mode: policy.Allowlist})
			var written bytes.Buffer
			require.NoError(t, migrate.WriteHeader(&written, tool))
			for i := range results {
				require.NoError(t, results[i].Write(&written))
			}
			require.NoError(t, migrate.WriteSummary(&written, results))
			golden(t, name, written.String())
		})
	}
}

var namespaces = map[string]map[string]string{
	"platform": nil, "kube-system": nil, "other": nil,
	"team-a": {"team": "a", "registry": "pull"}, "team-b": {"team": "b", "registry": "pull"}, "team-c": {"team": "c"},
}

// rules returns what becomes of the objects of a file.
func rules(t *testing.T, tool migrate.Tool, name string, world migrate.World) []migrate.Result {
	t.Helper()
	seen, objects := migrate.NewSurvey(tool), read(t, name)
	for i := range objects {
		seen.See(kindOf(&objects[i]), &objects[i])
	}
	for _, missing := range seen.Missing() {
		for i, object := range objects {
			isNamed := missing.Name == "" || missing.Name == object.Name
			if isNamed && missing.Kind == kindOf(&object) && missing.Namespace == object.Namespace {
				seen.SeeSource(missing.Kind, &objects[i])
			}
		}
	}
	return seen.Rules(world)
}

func kindOf(object *metav1.PartialObjectMetadata) schema.GroupKind {
	return object.GroupVersionKind().GroupKind()
}

func read(t *testing.T, name string) []metav1.PartialObjectMetadata {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
	require.NoError(t, err)
	var list struct {
		Items []metav1.PartialObjectMetadata `json:"items"`
	}
	require.NoError(t, yaml.Unmarshal(text, &list))
	return list.Items
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
