package oracle_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// TestThreatsNameTestsThatExist reads the page that says who might try what. A test without the name of a package is one of the package hostile.
func TestThreatsNameTestsThatExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "security.md"))
	require.NoError(t, err)
	known, rows, inTable := tests(t), 0, false
	known["api"] = known["v1"]
	for line := range strings.SplitSeq(string(page), "\n") {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, ""), "|")
		switch {
		case len(cells) != 5:
			inTable = false
		case strings.TrimSpace(cells[3]) == "test":
			inTable = true
		case inTable && !strings.HasPrefix(cells[1], "--"):
			rows++
			assert.Positive(t, exist(t, known, "hostile "+strings.TrimSpace(cells[3])), line)
		}
	}
	assert.Greater(t, rows, 40)
}

// TestRequestsNameTestsThatExist reads the table that says which tests count requests.
func TestRequestsNameTestsThatExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "scale.md"))
	require.NoError(t, err)
	known, rows := tests(t), 0
	_, table, found := strings.Cut(string(page), "| what happens | test |\n|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.SplitSeq(strings.TrimSpace(table), "\n") {
		rows++
		assert.Positive(t, exist(t, known, row), row)
	}
	assert.Positive(t, rows)
}
