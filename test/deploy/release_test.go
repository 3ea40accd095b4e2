package deploy_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/olm"
)

// metadata is what Chart.yaml says of the chart.
type metadata struct {
	Home, Icon  string
	Sources     []string
	Annotations map[string]string
}

func metadataOf(t *testing.T, chart string) metadata {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(chart, "Chart.yaml"))
	require.NoError(t, err)
	var m metadata
	require.NoError(t, yaml.Unmarshal(content, &m))
	return m
}

// A checkout does not know where it will be published; the workflow that publishes it does.
func TestReleaseNamesItsAddresses(t *testing.T) {
	const repository, tag, image = "https://git.example.com/team/projection", "v1.2.3", "registry.example.com/team/projection"
	top := t.TempDir()
	for _, tree := range []string{"deploy", "config"} {
		require.NoError(t, os.CopyFS(filepath.Join(top, tree), os.DirFS(filepath.Join(env.Root(), tree))))
	}
	script := filepath.Join(top, "deploy", "release.sh")
	require.NoError(t, os.Chmod(script, 0o700)) // CopyFS keeps no permissions to execute
	out, err := exec.CommandContext(t.Context(), script, repository, tag, image).CombinedOutput()
	require.NoError(t, err, string(out))

	chart := filepath.Join(top, "deploy", "charts", "projection")
	m := metadataOf(t, chart)
	assert.Equal(t, repository, m.Home)
	assert.Equal(t, []string{repository}, m.Sources)
	for _, link := range append(linksOf(t, m), m.Icon) {
		path, found := strings.CutPrefix(link, repository+"/")
		require.True(t, found, link)
		if _, file, found := strings.Cut(path, "/"+tag+"/"); found {
			assert.FileExists(t, filepath.Join(env.Root(), file))
		}
	}
	assert.Contains(t, m.Annotations["artifacthub.io/images"], "image: "+image+":"+tag+"\n")

	helm(t, "lint", "--strict", chart)
	manifest := helm(t, "template", release, chart, "--set", "prometheusRule.enabled=true")
	assert.Contains(t, manifest, "image: "+image+":v")
	assert.Contains(t, manifest, "runbook_url: "+repository+"/blob/"+tag+"/docs/observability.md#projectionnoleader\n")
	assert.NotContains(t, manifest, "runbook_url: docs/")
	manifest = helm(t, "template", release, chart, "--set", "prometheusRule.enabled=true,documentation=https://docs.example.com")
	assert.Contains(t, manifest, "runbook_url: https://docs.example.com/observability.md#projectionnoleader\n")

	for _, path := range []string{"deploy/charts/projection/files/alerts.yaml", "config/prometheus/rule.yaml"} {
		content, err := os.ReadFile(filepath.Join(top, path))
		require.NoError(t, err)
		assert.Contains(t, string(content), "runbook_url: "+repository+"/blob/"+tag+"/docs/observability.md#projectionnoleader\n", path)
		assert.NotContains(t, string(content), "runbook_url: docs/", path)
	}
	bundle, err := olm.Generate(top)
	require.NoError(t, err)
	assert.Empty(t, olm.Validate(bundle))
	var description string
	for path, content := range bundle {
		if strings.HasSuffix(path, ".clusterserviceversion.yaml") {
			description = string(content)
		}
	}
	assert.Contains(t, description, "\n    repository: "+repository+"\n")
}

func linksOf(t *testing.T, m metadata) []string {
	t.Helper()
	var links []struct{ Name, URL string }
	require.NoError(t, yaml.Unmarshal([]byte(m.Annotations["artifacthub.io/links"]), &links))
	require.NotEmpty(t, links)
	urls := make([]string, len(links))
	for i, link := range links {
		assert.NotEmpty(t, link.Name)
		urls[i] = link.URL
	}
	return urls
}

// Artifact Hub shows these to people who look for a chart.
func TestChartDescribesItsDefinitions(t *testing.T) {
	install(t, "")
	m := metadataOf(t, env.Chart())
	var described []struct{ Kind, Version, Name string }
	require.NoError(t, yaml.Unmarshal([]byte(m.Annotations["artifacthub.io/crds"]), &described))
	type definition struct{ kind, version string }
	defined := map[string]definition{}
	for _, object := range objects(t, mustTemplate(t)) {
		if object.GetKind() == "CustomResourceDefinition" {
			kind, _, err := unstructured.NestedString(object.Object, "spec", "names", "kind")
			require.NoError(t, err)
			versions, _, err := unstructured.NestedSlice(object.Object, "spec", "versions")
			require.NoError(t, err)
			require.Len(t, versions, 1)
			version, _ := versions[0].(map[string]any)
			defined[object.GetName()] = definition{kind, fmt.Sprint(version["name"])}
		}
	}
	for _, d := range described {
		assert.Equal(t, definition{d.Kind, d.Version}, defined[d.Name])
		delete(defined, d.Name)
	}
	assert.Empty(t, defined, "nothing describes these")

	var examples []map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(m.Annotations["artifacthub.io/crdsExamples"]), &examples))
	require.Len(t, examples, len(described))
	for _, example := range examples {
		content, err := yaml.Marshal(example)
		require.NoError(t, err)
		accepts(t, string(content))
	}
}
