package kit_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

var update = flag.Bool("update", false, "write the table of handlers, and the golden files")

const (
	handlersPage = "docs/kit/handlers.md"
	begin        = "<!-- begin handlers: go test ./test/docs/kit -update writes what follows -->\n"
	end          = "<!-- end handlers -->\n"
)

// sections are those of all kinds that have handlers, in the order of the page.
func sections(t *testing.T) []string {
	t.Helper()
	return []string{
		deploymentSection(t), failureSection(t), statefulSetSection(t), replicaSetSection(t), daemonSetSection(t), podSection(t),
		jobSection(t),
		serviceSection(t), ingressSection(t), cronJobSection(t), hpaSection(t), pvcSection(t), pvSection(t),
	}
}

// TestHandlersPage compares the page with what the handlers return.
func TestHandlersPage(t *testing.T) {
	path := filepath.Join(env.Root(), handlersPage)
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), begin)
	require.True(t, found, begin)
	written, after, found := strings.Cut(rest, end)
	require.True(t, found, end)
	want := "\n" + strings.Join(sections(t), "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(before+begin+want+end+after), 0o600))
		return
	}
	assert.Equal(t, want, written, "go test ./test/docs/kit -update writes it")
}

// TestHandlersPageHasEveryReason looks up every reason in the sources of the handlers, so that no row is forgotten.
func TestHandlersPageHasEveryReason(t *testing.T) {
	table := strings.Join(sections(t), "\n")
	files, err := filepath.Glob(filepath.Join(env.Root(), "primitives", "*", "handlers.go"))
	require.NoError(t, err)
	require.Len(t, files, 12, "a section for each kind with handlers")
	for _, file := range append(files, filepath.Join(env.Root(), "primitives", "internal", "health", "replicas.go")) {
		reasons := reasonsIn(t, file)
		require.NotEmpty(t, reasons, file)
		for _, reason := range reasons {
			pattern := regexp.MustCompile(`%[dsq]`).ReplaceAllString(regexp.QuoteMeta(reason), ".+")
			assert.Regexp(t, pattern, table, file)
		}
	}
}

// reasonsIn returns the strings of a Go file that have more than one word.
func reasonsIn(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var reasons []string
	ast.Inspect(file, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			if strings.Contains(strings.TrimSpace(text), " ") {
				reasons = append(reasons, text)
			}
		}
		return true
	})
	return reasons
}
