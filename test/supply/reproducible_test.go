package supply_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// TestBuildCanBeMadeAgain builds the manager where it is, and from a copy of the sources elsewhere that has no history.
func TestBuildCanBeMadeAgain(t *testing.T) {
	const version = "v1.2.3-test"
	elsewhere := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "api", "cmd", "components", "mutations", "primitives"} {
		copyTo(t, fromTop(name), filepath.Join(elsewhere, name))
	}
	command := buildCommand(t, version)
	here, there := build(t, env.Root(), command), build(t, elsewhere, command)
	assert.Equal(t, here, there)
}

// buildCommand returns what make build runs, but for where the program goes.
func buildCommand(t *testing.T, version string) string {
	t.Helper()
	printed, err := exec.Command("make", "--no-print-directory", "-C", env.Root(), "-n", "build", "VERSION="+version).Output()
	require.NoError(t, err)
	command := strings.TrimSpace(string(printed))
	require.Contains(t, command, "-o bin/manager ")
	require.Contains(t, command, "-trimpath")
	require.Contains(t, command, "-X main.version="+version)
	return strings.Replace(command, "-o bin/manager ", `-o "$OUT" `, 1)
}

// build runs the command in the directory and returns the hash of the program.
func build(t *testing.T, dir, command string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "manager")
	run := exec.Command("bash", "-c", command)
	run.Dir, run.Env = dir, append(os.Environ(), "OUT="+program)
	output, err := run.CombinedOutput()
	require.NoError(t, err, string(output))
	sum := sha256.Sum256(read(t, program))
	return hex.EncodeToString(sum[:])
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	require.NoError(t, err)
	if info.IsDir() {
		require.NoError(t, os.CopyFS(to, os.DirFS(from)))
		return
	}
	require.NoError(t, os.WriteFile(to, read(t, from), 0o600))
}
