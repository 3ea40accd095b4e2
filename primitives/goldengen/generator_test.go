package goldengen_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const goodManifest = `fixtures:
- name: minimal
  regimes:
  - firing: null
    representative: 1.0.0
    versions:
    - 1.0.0
    - 1.1.0
  - firing:
    - v2
    representative: 2.0.0
    versions:
    - 2.0.0
- name: tracing
  regimes:
  - firing:
    - tracing
    representative: 1.0.0
    versions:
    - 1.0.0
    - 1.1.0
  - firing:
    - tracing
    - v2
    representative: 2.0.0
    versions:
    - 2.0.0
`

func TestUpdateWritesOneGoldenARegime(t *testing.T) {
	dir := written(t, "good")
	assert.Equal(t, map[string]string{
		"minimal/1.0.0.yaml": "mutations: \n",
		"minimal/2.0.0.yaml": "mutations: v2\n",
		"tracing/1.0.0.yaml": "mutations: tracing\n",
		"tracing/2.0.0.yaml": "mutations: v2 tracing\n",
		"manifest.yaml":      goodManifest,
	}, files(t, dir))

	passed, output := start(t, "good", dir)
	assert.True(t, passed, output)
}

func TestGoldensThatAreMissing(t *testing.T) {
	dir := t.TempDir()
	fails(t, "good", dir, nil,
		"golden "+filepath.Join(dir, "minimal", "1.0.0.yaml")+" does not exist; run with -update",
		"golden "+filepath.Join(dir, "manifest.yaml")+" does not exist; run with -update")
	assert.Empty(t, files(t, dir))
}

func TestGoldensThatDifferShowADiff(t *testing.T) {
	dir := written(t, "good")
	fails(t, "other", dir, []string{"/minimal"},
		"golden file mismatch: "+filepath.Join(dir, "minimal", "2.0.0.yaml"),
		" mutations: v2\n            +more: true\n")
}

// One fixture alone is compared with the manifest of all, and an update of one leaves the others in the manifest.
func TestOneFixtureAlone(t *testing.T) {
	dir := written(t, "good")
	passed, output := start(t, "good", dir, "/minimal")
	assert.True(t, passed, output)

	passed, output = start(t, "other", dir, "/minimal", "-update")
	assert.True(t, passed, output)
	after := files(t, dir)
	assert.Equal(t, goodManifest, after["manifest.yaml"])
	assert.Equal(t, "mutations: v2\nmore: true\n", after["minimal/2.0.0.yaml"])
	assert.Equal(t, "mutations: tracing\n", after["tracing/1.0.0.yaml"], "not selected")
}

func TestGoldensOfRegimesThatAreGone(t *testing.T) {
	dir := written(t, "good")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "minimal", "notes.txt"), nil, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "minimal", "below.yaml"), 0o750))
	stale := "golden " + filepath.Join(dir, "minimal", "2.0.0.yaml") + " belongs to no regime; run with -update to remove it"
	fails(t, "ungated", dir, []string{"/minimal"}, stale)

	start(t, "ungated", dir, "/minimal", "-update")
	after := files(t, dir)
	assert.ElementsMatch(t, []string{
		"minimal/1.0.0.yaml", "minimal/notes.txt", "tracing/1.0.0.yaml", "tracing/2.0.0.yaml", "manifest.yaml",
	}, slices.Collect(maps.Keys(after)), "those of the fixture that was selected")
	assert.DirExists(t, filepath.Join(dir, "minimal", "below.yaml"))
}

// Somebody removes a fixture from the matrix: a run reports its golden files, and an update removes them and nothing else.
func TestGoldensOfFixturesThatAreGone(t *testing.T) {
	dir := written(t, "good")
	elsewhere := filepath.Join(dir, "inputs", "spec.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(elsewhere), 0o750))
	require.NoError(t, os.WriteFile(elsewhere, nil, 0o600))
	before := files(t, dir)
	fails(t, "one fixture", dir, nil,
		"golden "+filepath.Join(dir, "tracing", "1.0.0.yaml")+" belongs to no fixture; run with -update to remove it",
		"golden "+filepath.Join(dir, "tracing", "2.0.0.yaml")+" belongs to no fixture; run with -update to remove it",
		"golden file mismatch: "+filepath.Join(dir, "manifest.yaml"))
	assert.Equal(t, before, files(t, dir))

	passed, output := start(t, "one fixture", dir, "-update")
	assert.True(t, passed, output)
	assert.ElementsMatch(t, []string{"minimal/1.0.0.yaml", "minimal/2.0.0.yaml", "inputs/spec.yaml", "manifest.yaml"},
		slices.Collect(maps.Keys(files(t, dir))))
	assert.NoDirExists(t, filepath.Join(dir, "tracing"))
}

// A manifest that was edited by hand does not lead out of the folder.
func TestRemovedFixturesOutsideOfTheFolder(t *testing.T) {
	top := t.TempDir()
	outside, dir := filepath.Join(top, "outside.yaml"), filepath.Join(top, "matrix")
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	require.NoError(t, os.Mkdir(dir, 0o750))
	for _, manifest := range []string{"fixtures: [{name: ..}, {name: .}]", "fixtures: {"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte(manifest), 0o600))
		passed, output := start(t, "good", dir, "-update")
		assert.True(t, passed, output)
		assert.FileExists(t, outside)
		assert.Equal(t, goodManifest, files(t, dir)["manifest.yaml"])
	}
}

// A mutation that writes the version renders differently in versions of one regime.
func TestByOutput(t *testing.T) {
	byFiring := written(t, "by firing")
	assert.NotContains(t, files(t, byFiring), "minimal/1.1.0.yaml")

	byOutput := written(t, "by output")
	after := files(t, byOutput)
	assert.Equal(t, "mutations: \nversion: 1.1.0\n", after["minimal/1.1.0.yaml"])
	assert.Len(t, after, 7)
	fails(t, "by output", byFiring, []string{"/minimal"},
		"golden "+filepath.Join(byFiring, "minimal", "1.1.0.yaml")+" does not exist; run with -update",
		"golden file mismatch: "+filepath.Join(byFiring, "manifest.yaml"))
}

func TestErrorsOfRuns(t *testing.T) {
	dir := written(t, "good")
	before := files(t, dir)
	for _, test := range []struct {
		scenario string
		args     []string
		want     string
	}{
		{scenario: "invalid", want: "goldengen: invalid config: goldengen: Dir must not be empty"},
		{scenario: "no firing", want: `firing set for fixture "minimal" at 1.0.0: boom`},
		{scenario: "no content", want: `render fixture "minimal" regime 1.0.0: boom`},
		{scenario: "no output", want: `render fixture "minimal" at 1.0.0: boom`},
		{scenario: "no tracing", want: `build fixture "tracing" at 1.1.0: boom`},
		// The manifest would lack the fixture, also if its subtest does not run.
		{scenario: "no tracing", args: []string{"/minimal", "-update"}, want: `build fixture "tracing" at 1.1.0: boom`},
		{scenario: "ungated", args: []string{"/tracing"}, want: `fixture "tracing": required mutation "tracing" never fires across the version sweep`},
	} {
		fails(t, test.scenario, dir, test.args, test.want)
	}
	assert.Equal(t, before, files(t, dir))
}
