package supply_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// krewPlugin is the manifest of a plugin, as krew reads it.
type krewPlugin struct {
	APIVersion, Kind string
	Metadata         struct{ Name string }
	Spec             struct {
		Version, Homepage, ShortDescription string
		Platforms                           []struct {
			Selector         struct{ MatchLabels map[string]string }
			URI, Sha256, Bin string
		}
	}
}

// TestPluginIsReleased makes the archive of this platform twice; those of other platforms take minutes.
func TestPluginIsReleased(t *testing.T) {
	const repository, tag = "https://git.example.com/team/projection", "v1.2.3"
	platform := runtime.GOOS + "/" + runtime.GOARCH
	name := "kubectl-projection_" + tag + "_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
	release := func() (manifest, archive []byte) {
		dist := t.TempDir()
		run := exec.CommandContext(t.Context(), fromTop("deploy/plugin/release.sh"), repository, tag, platform)
		run.Env = append(os.Environ(), "DIST="+dist)
		output, err := run.CombinedOutput()
		require.NoError(t, err, string(output))
		return read(t, filepath.Join(dist, "krew.yaml")), read(t, filepath.Join(dist, name))
	}
	manifest, archive := release()
	again, archiveAgain := release()
	assert.Equal(t, string(manifest), string(again))
	assert.Equal(t, archive, archiveAgain, "the same commit makes the same archive")

	var plugin krewPlugin
	require.NoError(t, yaml.Unmarshal(manifest, &plugin))
	assert.Equal(t, "krew.googlecontainertools.github.com/v1alpha2", plugin.APIVersion)
	assert.Equal(t, "Plugin", plugin.Kind)
	assert.Equal(t, "projection", plugin.Metadata.Name)
	assert.Equal(t, tag, plugin.Spec.Version)
	assert.Equal(t, repository, plugin.Spec.Homepage)
	assert.NotEmpty(t, plugin.Spec.ShortDescription)
	assert.LessOrEqual(t, len(plugin.Spec.ShortDescription), 50, "krew search prints no more")
	require.Len(t, plugin.Spec.Platforms, 1)
	found := plugin.Spec.Platforms[0]
	sum := sha256.Sum256(archive)
	assert.Equal(t, hex.EncodeToString(sum[:]), found.Sha256)
	assert.Equal(t, repository+"/releases/download/"+tag+"/"+name, found.URI)
	assert.Equal(t, map[string]string{"os": runtime.GOOS, "arch": runtime.GOARCH}, found.Selector.MatchLabels)

	files := unpack(t, archive)
	assert.FileExists(t, filepath.Join(files, "LICENSE"), "krew asks for it")
	assert.FileExists(t, filepath.Join(files, "kubectl_complete-projection"))
	printed, err := exec.CommandContext(t.Context(), filepath.Join(files, found.Bin), "version", "--client").Output()
	require.NoError(t, err)
	assert.Contains(t, string(printed), tag)
}

// unpack returns a directory with the files of the archive.
func unpack(t *testing.T, archive []byte) string {
	t.Helper()
	dir := t.TempDir()
	run := exec.CommandContext(t.Context(), "tar", "--extract", "--gzip", "--directory", dir)
	run.Stdin = bytes.NewReader(archive)
	output, err := run.CombinedOutput()
	require.NoError(t, err, string(output))
	return dir
}
