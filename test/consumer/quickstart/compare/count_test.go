package compare_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// TestQuickStartCountsTheLines compares the page with the code of the two operators, and with that of the larger example.
func TestQuickStartCountsTheLines(t *testing.T) {
	withKit, without := linesOfCode(t, "../kit"), linesOfCode(t, "../plain")
	assert.Less(t, withKit, 110, "an operator in about 100 lines")
	assert.Less(t, 2*withKit, without)

	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "kit", "quick-start.md"))
	require.NoError(t, err)
	assert.Contains(t, string(page), fmt.Sprintf("| with the kit | [kit](../../test/consumer/quickstart/kit/operator.go) | %d |", withKit))
	assert.Contains(t, string(page), fmt.Sprintf("| with controller-runtime alone | [plain](../../test/consumer/quickstart/plain/operator.go) | %d |", without))
	assert.Contains(t, string(page), fmt.Sprintf("Its package app has %d lines of code.", linesOfCode(t, "../../app")))
}

// linesOfCode counts the lines of the Go files of a directory that are neither empty nor a comment, without tests.
func linesOfCode(t *testing.T, directory string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	count := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(content)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				count++
			}
		}
	}
	return count
}
