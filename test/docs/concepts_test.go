package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
)

const conceptsPage = "docs/concepts.md"

// TestEveryKeyIsExplained looks for the labels, annotations and finalizers that users meet on their objects.
func TestEveryKeyIsExplained(t *testing.T) {
	page, err := os.ReadFile(fromTop(conceptsPage))
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), fromTop("api/v1/keys.go"), nil, 0)
	require.NoError(t, err)
	keys := 0
	ast.Inspect(file, func(node ast.Node) bool {
		if sum, ok := node.(*ast.BinaryExpr); ok {
			suffix, err := strconv.Unquote(sum.Y.(*ast.BasicLit).Value)
			require.NoError(t, err)
			keys++
			assert.Contains(t, string(page), "`"+v1.Domain+suffix+"`")
		}
		return true
	})
	assert.Positive(t, keys)
}

func TestEveryConditionIsExplained(t *testing.T) {
	section, found := pages(t)[conceptsPage].Section("Conditions")
	require.True(t, found)
	var explained []string
	for _, row := range section.Rows[1:] {
		explained = append(explained, strings.Trim(row.Cells[0], "`"))
	}
	assert.Equal(t, constants(t, "api/v1/conditions.go", "Condition"), explained)
}

// constants returns the values of the constants of a file whose names begin with the prefix, in their order.
func constants(t *testing.T, path, prefix string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), fromTop(path), nil, 0)
	require.NoError(t, err)
	var values []string
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, prefix) {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			values = append(values, value)
		}
		return true
	})
	require.NotEmpty(t, values)
	return values
}
