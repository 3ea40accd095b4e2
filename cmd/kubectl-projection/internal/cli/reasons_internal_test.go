package cli

import (
	"flag"
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
	sectionOfReason = regexp.MustCompile(`(?m)^### ([A-Z][A-Za-z]+)\n\n`)
	link            = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`)
)

func TestReasonsAreThoseOfTroubleshooting(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "troubleshooting.md"))
	require.NoError(t, err)
	var lines strings.Builder
	text := string(page)
	for _, at := range sectionOfReason.FindAllStringSubmatchIndex(text, -1) {
		reason, section := text[at[2]:at[3]], text[at[1]:]
		paragraph, _, _ := strings.Cut(section, "\n\n")
		sentences := strings.SplitAfter(strings.Join(strings.Fields(paragraph), " "), ". ")
		paragraph = strings.TrimSpace(link.ReplaceAllString(strings.Join(sentences[:min(len(sentences), 2)], ""), "$1"))
		lines.WriteString(reason + ": " + strings.NewReplacer("`", "", "**", "").Replace(paragraph) + "\n")
	}
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile("reasons.txt", []byte(lines.String()), 0o600))
	}
	assert.Equal(t, lines.String(), reasonsText, "go test ./cmd/kubectl-projection/internal/cli -run TestReasons -update")
	assert.Greater(t, len(reasons()), 30)
	assert.NotEmpty(t, reasons()["DestinationConflict"])
}
