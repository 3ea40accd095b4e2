package oracle_test

import (
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

var (
	declaration = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	// mention is a test in backquotes, often after the name of its package.
	mention = regexp.MustCompile("(?:([a-z0-9]+) )?`((?:Test|Fuzz)\\w+)`")
)

// tests returns the names of all tests, by the names of their packages.
func tests(t *testing.T) map[string]map[string]bool {
	t.Helper()
	found := map[string]map[string]bool{}
	require.NoError(t, filepath.WalkDir(env.Root(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile(path)
		pkg := filepath.Base(filepath.Dir(path))
		if found[pkg] == nil {
			found[pkg] = map[string]bool{}
		}
		for _, name := range declaration.FindAllStringSubmatch(string(content), -1) {
			found[pkg][name[1]] = true
		}
		return err
	}))
	return found
}

// TestFailureModesNameTestsThatExist reads the page that says which test holds which failure mode off.
func TestFailureModesNameTestsThatExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "engineering", "failure-modes.md"))
	require.NoError(t, err)
	known, named, rows := tests(t), 0, 0
	for row := range strings.SplitSeq(string(page), "\n") {
		cells := strings.Split(row, "|")
		if len(cells) != 5 || !strings.ContainsAny(cells[1], "0123456789") {
			continue
		}
		rows++
		named += exist(t, known, cells[3])
	}
	assert.Equal(t, 62, rows)
	assert.Greater(t, named, 100)
}

// TestReliabilityNamesTestsThatExist reads the page that says what was broken on purpose.
func TestReliabilityNamesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "engineering", "reliability.md"))
	require.NoError(t, err)
	known, named := tests(t), 0
	for line := range strings.SplitSeq(string(page), "\n") {
		named += exist(t, known, line)
	}
	assert.Greater(t, named, 20)
}

// exist expects that the tests which the text names are there, and returns how many it names.
func exist(t *testing.T, known map[string]map[string]bool, text string) int {
	t.Helper()
	pkg, named := "", 0
	for _, match := range mention.FindAllStringSubmatch(text, -1) {
		if known[match[1]] != nil {
			pkg = match[1]
		}
		named++
		assert.True(t, known[pkg][match[2]], "there is no %s in the package %q: %s", match[2], pkg, text)
	}
	return named
}
