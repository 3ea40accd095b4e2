package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// verb is what a message says differently from case to case.
var verb = regexp.MustCompile(`%(?:\[\d+\])?[+#]?[a-z]`)

// TestMessagesAreInTheSectionsOfTheirReasons reads the literals in which the operator gives a reason its message and its advice, and
// looks for their words in the section of that reason.
func TestMessagesAreInTheSectionsOfTheirReasons(t *testing.T) {
	sections, compared := reasonSections(t), 0
	walk(t, "components", func(path string) {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, fromTop(path), nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			literal, ok := node.(*ast.CompositeLit)
			if !ok {
				return true
			}
			section, found := sections[reasonOf(literal)]
			if !found {
				return true
			}
			for _, words := range wordsIn(t, literal) {
				compared++
				assert.Contains(t, section, words, "%s, reason %s", files.Position(literal.Pos()), reasonOf(literal))
			}
			return true
		})
	})
	assert.Greater(t, compared, 20)
}

// TestCausesAreExplained looks in the section about them for the words with which the operator says why no copy can be made.
func TestCausesAreExplained(t *testing.T) {
	page, err := os.ReadFile(fromTop(reasonsPage))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## Causes in content and values\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	says, compared := []string{"inputError", "sourceError", "notConvertible", "refuse"}, 0
	for _, tree := range []string{"mutations", "components/expressions"} {
		walk(t, tree, func(path string) {
			if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, fromTop(path), nil, 0)
			require.NoError(t, err)
			ast.Inspect(file, func(node ast.Node) bool {
				call, ok := node.(*ast.CallExpr)
				if !ok || !slices.Contains(says, nameOf(call.Fun)) {
					return true
				}
				for _, words := range wordsIn(t, call) {
					compared++
					assert.Contains(t, section, words, "%s", files.Position(call.Pos()))
				}
				return true
			})
		})
	}
	assert.Greater(t, compared, 30)
}

// nameOf returns the name of a function that is called.
func nameOf(called ast.Expr) string {
	switch called := called.(type) {
	case *ast.Ident:
		return called.Name
	case *ast.SelectorExpr:
		return called.Sel.Name
	}
	return ""
}

// reasonSections returns the sections of the page, by the names of the constants of their reasons.
func reasonSections(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(fromTop(reasonsPage))
	require.NoError(t, err)
	sections := map[string]string{}
	for reason := range reasons(t) {
		_, section, found := strings.Cut(string(page), "\n### "+reason+"\n")
		require.True(t, found, reason)
		section, _, _ = strings.Cut(section, "\n##")
		sections["Reason"+reason] = strings.Join(strings.Fields(section), " ")
	}
	return sections
}

// reasonOf returns the constant that a literal of a struct has as its reason.
func reasonOf(literal *ast.CompositeLit) string {
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Reason" {
			if value, ok := pair.Value.(*ast.SelectorExpr); ok {
				return value.Sel.Name
			}
		}
	}
	return ""
}

// wordsIn returns what stands in the strings of a literal, without what differs from case to case.
func wordsIn(t *testing.T, literal ast.Node) []string {
	t.Helper()
	var found []string
	ast.Inspect(literal, func(node ast.Node) bool {
		text, ok := node.(*ast.BasicLit)
		if !ok || text.Kind != token.STRING {
			return true
		}
		said, err := strconv.Unquote(text.Value)
		require.NoError(t, err)
		for _, words := range verb.Split(said, -1) {
			if words = strings.Trim(words, " ;:,"); len(strings.Fields(words)) > 1 {
				found = append(found, words)
			}
		}
		return true
	})
	return found
}
