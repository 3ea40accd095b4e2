package deploy_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

var update = flag.Bool("update", false, "write the table of the chart's README instead of comparing with it")

const (
	tableBegins = "<!-- values: go test ./test/deploy -run README -update -->\n"
	tableEnds   = "<!-- end of values -->"
)

func TestREADMEListsEveryValue(t *testing.T) {
	path := filepath.Join(env.Chart(), "README.md")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(content), tableBegins)
	require.True(t, found)
	table, tail, found := strings.Cut(rest, tableEnds)
	require.True(t, found)
	wanted := tableOf(t, documented(t))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(head+tableBegins+wanted+tableEnds+tail), 0o600))
		return
	}
	assert.Equal(t, wanted, table, "go test ./test/deploy -run README -update writes it anew")
}

func tableOf(t *testing.T, values []value) string {
	t.Helper()
	var table strings.Builder
	table.WriteString("| value | what it says | default |\n|---|---|---|\n")
	for _, v := range values {
		fallback, err := json.Marshal(v.fallback)
		require.NoError(t, err)
		fmt.Fprintf(&table, "| `%s` | %s | `%s` |\n", v.path, strings.ReplaceAll(v.description, "|", `\|`), fallback)
	}
	return table.String()
}

// Whoever reads values.yaml reads the same as whoever reads the schema or the README.
func TestCommentsOfValuesAreTheDescriptionsOfTheSchema(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(env.Chart(), "values.yaml"))
	require.NoError(t, err)
	comments := comments(string(content))
	for _, v := range documented(t) {
		assert.Equal(t, v.description, comments[v.path], v.path)
	}
}

// comments returns the comment above each key, by the key's path.
func comments(yaml string) map[string]string {
	byPath := map[string]string{}
	var path, above []string
	for line := range strings.Lines(yaml) {
		text := strings.TrimSpace(line)
		if comment, found := strings.CutPrefix(text, "# "); found {
			above = append(above, comment)
			continue
		}
		if key, _, found := strings.Cut(text, ":"); found && !strings.HasPrefix(text, "- ") && len(above) > 0 {
			depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
			path = append(path[:min(depth, len(path))], key)
			byPath[strings.Join(path, ".")] = strings.Join(above, " ")
		}
		above = nil
	}
	return byPath
}
