package image_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// buildContext copies what a builder would be sent: the files of this tree but what .dockerignore leaves out.
func buildContext(t *testing.T) string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard")
	list.Dir = env.Root()
	files, err := list.Output()
	require.NoError(t, err)
	content, err := os.ReadFile(filepath.Join(env.Root(), ".dockerignore"))
	require.NoError(t, err)
	dir := t.TempDir()
	for name := range strings.FieldsSeq(string(files)) {
		if ignored(string(content), name) {
			continue
		}
		file, err := os.ReadFile(filepath.Join(env.Root(), name))
		if os.IsNotExist(err) { // deleted, but not committed
			continue
		}
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), file, 0o600))
	}
	return dir
}

// ignored tells whether the patterns leave the file out. The last one that matches decides.
func ignored(patterns, file string) bool {
	out := false
	for line := range strings.Lines(patterns) {
		pattern := strings.TrimSpace(line)
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		pattern, back := strings.CutPrefix(pattern, "!")
		if matches(pattern, file) {
			out = !back
		}
	}
	return out
}

// matches tells whether the pattern names the file or a directory that it is in.
func matches(pattern, file string) bool {
	pattern, anywhere := strings.CutPrefix(pattern, "**/")
	for at := file; at != "."; at = path.Dir(at) {
		name := at
		if anywhere {
			name = path.Base(at)
		}
		if found, err := path.Match(pattern, name); err == nil && found {
			return true
		}
	}
	return false
}

func TestOnlySourcesAreSent(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(env.Root(), ".dockerignore"))
	require.NoError(t, err)
	for name, out := range map[string]bool{
		"go.mod": false, "cmd/manager/main.go": false, "primitives/feature/gate.go": false,
		"README.md": true, ".git/config": true, "bin/manager": true, "test/env/env.go": true, "config/rbac/role.yaml": true,
		"api/v1/golden_test.go": true, "mutations/testdata/copy/pod-full.yaml": true, "mutations/roundtrip/testdata/pod.yaml": true,
	} {
		assert.Equal(t, out, ignored(string(content), name), name)
	}
}
