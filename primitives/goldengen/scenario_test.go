package goldengen_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/goldengen"
)

// A run that fails cannot be part of this test. So the tests below start this program again, with TestMatrix alone and the
// scenario of these variables.
const (
	scenarioVariable = "GOLDENGEN_SCENARIO"
	dirVariable      = "GOLDENGEN_DIR"
)

// fake is a unit in which the mutation v2 fires from version 2.0.0 on, and tracing if the spec says so.
type fake struct {
	firing               []string
	content              string
	firingErr, renderErr error
}

func (fake) RegisteredMutations() []string { return []string{"tracing", "v2"} }

func (f fake) FiringSet() ([]string, error) { return f.firing, f.firingErr }

func (f fake) RenderYAML() ([]byte, error) { return []byte(f.content), f.renderErr }

func fakeFor(version string, s spec) fake {
	unit := fake{}
	if version >= "2" {
		unit.firing = append(unit.firing, "v2")
	}
	if s.Tracing {
		unit.firing = append(unit.firing, "tracing")
	}
	unit.content = "mutations: " + strings.Join(unit.firing, " ") + "\n"
	return unit
}

// config is a matrix of two fixtures and three versions, with the units that change returns.
func config(dir string, change func(version string, unit fake) (fake, error)) goldengen.Config[spec] {
	return goldengen.Config[spec]{
		Dir:      dir,
		Versions: []string{"1.0.0", "1.1.0", "2.0.0"},
		Fixtures: []goldengen.Fixture[spec]{
			{Name: "minimal", Requires: []goldengen.Expect{{Name: "v2"}}, Forbids: []goldengen.Expect{{Name: "tracing"}}},
			{Name: "tracing", Spec: spec{Tracing: true}, Requires: []goldengen.Expect{{Name: "tracing"}}},
		},
		Build: func(version string, s spec) (goldengen.Unit, error) { return change(version, fakeFor(version, s)) },
	}
}

var errBoom = errors.New("boom")

func same(_ string, unit fake) (fake, error) { return unit, nil }

// changed returns the generator with units that change edits.
func changed(change func(version string, unit *fake)) func(string) *goldengen.Generator[spec] {
	return func(dir string) *goldengen.Generator[spec] {
		return goldengen.New(config(dir, func(version string, unit fake) (fake, error) {
			change(version, &unit)
			return unit, nil
		}))
	}
}

func withVersion(version string, unit *fake) { unit.content += "version: " + version + "\n" }

var scenarios = map[string]func(dir string) *goldengen.Generator[spec]{
	"good":       func(dir string) *goldengen.Generator[spec] { return goldengen.New(config(dir, same)) },
	"invalid":    func(string) *goldengen.Generator[spec] { return goldengen.New(config("", same)) },
	"ungated":    changed(func(_ string, unit *fake) { unit.firing = []string{"v2"} }),
	"other":      changed(func(_ string, unit *fake) { unit.content += "more: true\n" }),
	"no firing":  changed(func(_ string, unit *fake) { unit.firingErr = errBoom }),
	"no content": changed(func(_ string, unit *fake) { unit.renderErr = errBoom }),
	"by firing":  changed(withVersion),
	"one fixture": func(dir string) *goldengen.Generator[spec] {
		one := config(dir, same)
		one.Fixtures, one.Exclude = one.Fixtures[:1], []string{"tracing"}
		return goldengen.New(one)
	},
	"by output": func(dir string) *goldengen.Generator[spec] { return changed(withVersion)(dir).ByOutput(true) },
	"no output": func(dir string) *goldengen.Generator[spec] {
		return changed(func(_ string, unit *fake) { unit.renderErr = errBoom })(dir).ByOutput(true)
	},
	"no tracing": func(dir string) *goldengen.Generator[spec] {
		return goldengen.New(config(dir, func(version string, unit fake) (fake, error) {
			if strings.Contains(unit.content, "tracing") && version == "1.1.0" {
				return unit, errBoom
			}
			return unit, nil
		}))
	},
}

// start runs TestMatrix with a scenario, and reports whether it passes, and its output.
func start(t *testing.T, scenario, dir string, args ...string) (bool, string) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	pattern := "-test.run=^TestMatrix$"
	if len(args) > 0 && strings.HasPrefix(args[0], "/") {
		pattern, args = pattern+args[0], args[1:]
	}
	command := exec.CommandContext(t.Context(), program, append([]string{pattern}, args...)...)
	command.Env = append(os.Environ(), scenarioVariable+"="+scenario, dirVariable+"="+dir)
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(t, err, &exit, string(output))
	}
	return err == nil, string(output)
}

// files returns the paths and the contents of the files of a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		found[filepath.ToSlash(name)] = string(content)
		return err
	}))
	return found
}

// written is the folder that an update writes for a scenario.
func written(t *testing.T, scenario string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "goldens")
	passed, output := start(t, scenario, dir, "-update")
	require.True(t, passed, output)
	return dir
}

// fails checks that a run fails with each of the texts, once.
func fails(t *testing.T, scenario, dir string, args []string, want ...string) {
	t.Helper()
	passed, output := start(t, scenario, dir, args...)
	assert.False(t, passed, output)
	for _, text := range want {
		assert.Equal(t, 1, strings.Count(output, text), "%s\nin\n%s", text, output)
	}
}
