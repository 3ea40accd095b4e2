package olm_test

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/olm"
)

// committed returns the files of the bundle, by their paths.
func committed(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	dir := os.DirFS(filepath.Join(env.Root(), "deploy", "olm"))
	require.NoError(t, fs.WalkDir(dir, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[path], err = fs.ReadFile(dir, path)
		return err
	}))
	require.NotEmpty(t, files)
	return files
}

func TestBundleIsWhatTheManifestInstalls(t *testing.T) {
	generated, err := olm.Generate(env.Root())
	require.NoError(t, err)
	files := committed(t)
	for path, content := range generated {
		assert.Equal(t, string(content), string(files[path]), "%s: make generate", path)
		delete(files, path)
	}
	assert.Empty(t, files, "make generate")
}

func TestBundleIsValid(t *testing.T) {
	assert.Empty(t, olm.Validate(committed(t)))
}

// Each rule finds a bundle that breaks it.
func TestMistakesInABundleAreFound(t *testing.T) {
	const (
		csv    = "manifests/projection.v0.1.0.clusterserviceversion.yaml"
		crd    = "manifests/projections.projection.sh.customresourcedefinition.yaml"
		labels = "metadata/annotations.yaml"
	)
	for name, test := range map[string]struct{ path, before, after, says string }{
		"version":           {csv, "\n  version: 0.1.0\n", "\n  version: 0.2.0\n", `spec.version "0.2.0" is not that of the name`},
		"name":              {csv, "name: projection.v0.1.0\n", "name: projection\n", "<package>.v<version>"},
		"Kubernetes":        {csv, "minKubeVersion: 1.32.0", "minKubeVersion: new", "spec.minKubeVersion"},
		"capabilities":      {csv, "capabilities: Deep Insights", "capabilities: Deep", "the annotation capabilities"},
		"categories":        {csv, "categories: Integration & Delivery", "categories: Integration", "the annotation categories"},
		"install modes":     {csv, "type: OwnNamespace", "type: AllNamespaces", "spec.installModes: each one once"},
		"none supported":    {csv, "supported: true", "supported: false", "none is supported"},
		"strategy":          {csv, "strategy: deployment", "strategy: job", "spec.install.strategy"},
		"account":           {csv, "serviceAccountName: projection-manager\n              term", "serviceAccountName: other\n              term", "has no permissions"},
		"provider":          {csv, "name: The Projection authors", `name: ""`, "spec.provider.name"},
		"icon":              {csv, "mediatype: image/svg+xml", "mediatype: text/plain", "spec.icon: text/plain"},
		"image":             {csv, "containerImage: ", "containerImage: x", "containerImage is not"},
		"example":           {csv, `"kind": "ClusterProjection"`, `"kind": "Other"`, "alm-examples: "},
		"examples":          {csv, "alm-examples: ", "examples: ", "alm-examples: "},
		"owned":             {csv, "kind: Projection\n", "kind: Other\n", "but the ClusterServiceVersion owns"},
		"maturity":          {csv, "maturity: alpha", `maturity: ""`, "spec.maturity is empty"},
		"requests":          {csv, "requests:", "limit:", "requests no resources"},
		"two versions":      {crd, "kind: CustomResourceDefinition", "kind: ClusterServiceVersion", "one ClusterServiceVersion, not 2"},
		"kind of an object": {crd, "kind: CustomResourceDefinition", "kind: Deployment", "a bundle cannot have a Deployment"},
		"namespace":         {crd, "\nmetadata:\n", "\nmetadata:\n  namespace: here\n", "chooses the namespace"},
		"media type":        {labels, "registry+v1", "plain+v1", "mediatype.v1 is not registry+v1"},
		"channel":           {labels, "channel.default.v1: alpha", "channel.default.v1: stable", `the default channel "stable" is none of`},
		"label":             {labels, "package.v1: projection", "package.v1: other", "bundle.Dockerfile: no LABEL"},
	} {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(committed(t))
			require.Contains(t, string(files[test.path]), test.before)
			files[test.path] = bytes.ReplaceAll(files[test.path], []byte(test.before), []byte(test.after))
			found := olm.Validate(files)
			require.NotEmpty(t, found)
			assert.Contains(t, strings.Join(found, "\n"), test.says)
		})
	}
}
