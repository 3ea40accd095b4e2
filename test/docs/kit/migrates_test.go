package kit_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

const (
	original = `"github.com/sourcehawk/operator-component-framework/`
	here     = `"projection.sh/operator/`
	// nowhere is a folder of this module that does not exist: the compiler gets its files from an overlay.
	nowhere = "test/docs/kit/migrated"
)

// operator are the sources of an operator, by their path below its root.
type operator map[string]string

// written returns an operator of testdata as it was written for the original.
func written(t *testing.T, name string) operator {
	t.Helper()
	root := filepath.Join("testdata", "migration", name)
	sources := operator{}
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(file)
		path := filepath.ToSlash(strings.TrimPrefix(strings.TrimSuffix(file, ".txt"), root+string(filepath.Separator)))
		sources[path] = string(content)
		return err
	}))
	require.NotEmpty(t, sources)
	return sources
}

// edit replaces the first text of each pair, everywhere, by the second. It fails if a text is nowhere.
func (o operator) edit(t *testing.T, pairs [][2]string) operator {
	t.Helper()
	edited := operator{}
	used := make([]bool, len(pairs))
	for path, source := range o {
		for i, pair := range pairs {
			used[i] = used[i] || strings.Contains(source, pair[0])
			source = strings.ReplaceAll(source, pair[0], pair[1])
		}
		edited[path] = source
	}
	for i, pair := range pairs {
		assert.True(t, used[i], "no source has %s", pair[0])
	}
	return edited
}

// packages returns the packages of o, each as an operator of its own.
func (o operator) packages() map[string]operator {
	packages := map[string]operator{}
	for path, source := range o {
		pkg := filepath.Dir(path)
		if packages[pkg] == nil {
			packages[pkg] = operator{}
		}
		packages[pkg][path] = source
	}
	return packages
}

// compile returns what the compiler says of o, tests included: nothing if it compiles.
func (o operator) compile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	args := []string{"list", "-test", "-export", "-f", "{{with .Error}}{{.}}{{end}}", "-overlay", filepath.Join(dir, "overlay.json")}
	for pkg := range o.packages() {
		args = append(args, "./"+filepath.ToSlash(filepath.Join(nowhere, pkg)))
	}
	for path, source := range o {
		file := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
		overlay.Replace[filepath.Join(env.Root(), nowhere, path)] = file
	}
	content, err := json.Marshal(overlay)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), content, 0o600))

	output, err := env.GoCommand(t.Context(), args...).CombinedOutput()
	if err == nil {
		assert.Empty(t, strings.TrimSpace(string(output)))
		return ""
	}
	return string(output)
}

// imports are the rows of the table of import paths.
func imports(t *testing.T) [][2]string {
	t.Helper()
	var pairs [][2]string
	for _, row := range path.FindAllStringSubmatch(read(t, migrationPage), -1) {
		pairs = append(pairs, [2]string{original + row[1] + `"`, here + row[2] + `"`})
	}
	return pairs
}

// replacement is a row of the table of edits.
var replacement = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\|$")

// edits are the rows of the table of edits from early versions.
func edits(t *testing.T) [][2]string {
	t.Helper()
	_, table, found := strings.Cut(read(t, migrationPage), "\n## Edits from early versions\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n## ")
	var pairs [][2]string
	for _, row := range replacement.FindAllStringSubmatch(table, -1) {
		pairs = append(pairs, [2]string{row[1], row[2]})
	}
	require.NotEmpty(t, pairs)
	return pairs
}

// used are the pairs whose first text o has.
func (o operator) used(pairs [][2]string) [][2]string {
	var all strings.Builder
	for _, source := range o {
		all.WriteString(source)
	}
	var used [][2]string
	for _, pair := range pairs {
		if strings.Contains(all.String(), pair[0]) {
			used = append(used, pair)
		}
	}
	return used
}

// TestLaterVersionsMigrateByTheirImports rewrites nothing but import paths, and needs every row of the table.
func TestLaterVersionsMigrateByTheirImports(t *testing.T) {
	operator := written(t, "later")
	assert.Empty(t, operator.edit(t, imports(t)).compile(t))
}

// TestEarlyVersionsMigrateByTheEdits needs the edits that the page names, every one of them.
func TestEarlyVersionsMigrateByTheEdits(t *testing.T) {
	operator := written(t, "overview")
	renamed := operator.edit(t, operator.used(imports(t)))
	assert.Empty(t, renamed.edit(t, edits(t)).compile(t))

	output := renamed.compile(t)
	assert.Contains(t, output, "unknown field Recorder in struct literal of type component.ReconcileContext")
	assert.Contains(t, output, "not enough arguments in call to component.FlushStatus")
}

// TestSourcesOfTheOriginalNeedTheirImportsRewritten compiles every package as it is.
func TestSourcesOfTheOriginalNeedTheirImportsRewritten(t *testing.T) {
	for _, name := range []string{"later", "overview"} {
		for _, sources := range written(t, name).packages() {
			assert.Contains(t, sources.compile(t), "no required module provides package "+strings.Trim(original, `"`))
		}
	}
}
