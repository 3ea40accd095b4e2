package supply_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// output is the program that a command compiles.
var output = regexp.MustCompile(`\bgo build .*-o (\S+)`)

// TestDemoShowsTheManagerThatItCompiles looks at what make demo runs: on a clean tree, nothing else has made bin/manager.
func TestDemoShowsTheManagerThatItCompiles(t *testing.T) {
	printed, err := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", env.Root(), "-n", "demo").Output()
	require.NoError(t, err)
	compiled := map[string]bool{}
	for line := range strings.Lines(string(printed)) {
		if made := output.FindStringSubmatch(line); made != nil {
			compiled[made[1]] = true
			continue
		}
		if shown := regexp.MustCompile(`(?:^|\s)bin/demo(\s+\S+)?\n`).FindStringSubmatch(line); shown != nil {
			assert.True(t, compiled["bin/demo"], line)
			assert.True(t, compiled[strings.TrimSpace(shown[1])], "%s: nothing has compiled what it shows", line)
			return
		}
	}
	require.Fail(t, "make demo does not run bin/demo", "%s", printed)
}

func TestDemoWithoutAManagerSaysWhatToDo(t *testing.T) {
	demo := filepath.Join(t.TempDir(), "demo")
	run := exec.CommandContext(t.Context(), "bash", "-c", strings.Replace(demoCommand(t), "-o bin/demo", "-o "+demo, 1))
	run.Dir = env.Root()
	complaint, err := run.CombinedOutput()
	require.NoError(t, err, string(complaint))

	start := exec.CommandContext(t.Context(), demo, "bin/no-such-manager")
	start.Dir, start.Env = env.Root(), append(start.Environ(), "PATH=") // nothing can be built, so that it cannot begin to
	complaint, err = start.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(complaint), "make build compiles bin/manager")
}

func demoCommand(t *testing.T) string {
	t.Helper()
	printed, err := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", env.Root(), "-n", "demo").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(printed)) {
		if strings.Contains(line, "-o bin/demo ") {
			return line
		}
	}
	require.Fail(t, "make demo does not compile bin/demo", "%s", printed)
	return ""
}
