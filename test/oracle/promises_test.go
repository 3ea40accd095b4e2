package oracle_test

import (
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
	link  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	space = regexp.MustCompile(`\s+`)
)

// plain returns the text of a page, or a part of it, as people read it: on one line, and without the addresses of links.
func plain(text string) string {
	return strings.TrimSpace(space.ReplaceAllString(link.ReplaceAllString(text, "$1"), " "))
}

// rowsOf returns the cells of the rows of all tables in a page. Rows without a text in the first cell continue the row above.
func rowsOf(page string) (rows [][]string) {
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		isHeader := i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|---")
		if cells := strings.Split(line, "|"); len(cells) > 3 && !isHeader && !strings.HasPrefix(line, "|---") && plain(cells[1]) != "" {
			rows = append(rows, cells[1:])
		}
	}
	return rows
}

// TestPromisesNameTheirTests compares the page of promises with the pages that make them.
func TestPromisesNameTheirTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "engineering", "promises.md"))
	require.NoError(t, err)
	known, sections := tests(t), strings.Split(string(page), "\n## ")[1:]
	require.Len(t, sections, 2)
	for _, section := range sections {
		name, _, _ := strings.Cut(section, "\n")
		content, err := os.ReadFile(filepath.Join(env.Root(), "docs", name))
		require.NoError(t, err)
		says, promised := plain(string(content)), map[string]bool{}
		for _, row := range rowsOf(section) {
			promise := plain(row[0])
			promised[promise] = true
			assert.Contains(t, says, promise, "%s does not promise it", name)
			assert.Positive(t, exist(t, known, row[1]), "no test of %s: %s", name, promise)
		}
		for _, row := range rowsOf(string(content)) {
			if name == "concepts.md" || strings.HasPrefix(row[0], " `projection_") {
				assert.True(t, promised[plain(row[0])], "no row for the promise of %s: %s", name, plain(row[0]))
			}
		}
	}
}
