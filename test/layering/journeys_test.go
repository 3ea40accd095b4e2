package layering_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// codeLink is a link whose text is code, and whose target is a Go file.
var codeLink = regexp.MustCompile("\\[`([^`]+)`\\]\\(([^)\\s]+\\.go)\\)")

// TestContributingLinksToCodeThatExists looks up the names that CONTRIBUTING.md links to in the files that it links to.
func TestContributingLinksToCodeThatExists(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(env.Root(), "CONTRIBUTING.md"))
	require.NoError(t, err)
	links := codeLink.FindAllStringSubmatch(string(page), -1)
	assert.GreaterOrEqual(t, len(links), 20)
	for _, link := range links {
		name, file := link[1], link[2]
		source, err := os.ReadFile(filepath.Join(env.Root(), file))
		if assert.NoError(t, err) {
			assert.True(t, declaredIn(t, file, source)[name], "%s does not declare %s", file, name)
		}
	}
}

func TestDeclaredNames(t *testing.T) {
	declared := declaredIn(t, "sample.go", []byte(`package sample

const A, B = 1, 2

var c int

type (
	d struct {
		e, F int
		embedded
	}
	g[T any]    struct{}
	h[K, V any] struct{}
	i           interface{ j() }
	k           int
)

func l()           {}
func (d) m()       {}
func (*d) N()      {}
func (x g[T]) o()  {}
func (*g[_]) p()   {}
func (*h[K, V]) q() {}
`))
	assert.Equal(t, map[string]bool{
		"A": true, "B": true, "c": true, "d": true, "d.e": true, "d.F": true, "g": true, "h": true, "i": true, "i.j": true, "k": true,
		"l": true, "d.m": true, "d.N": true, "g.o": true, "g.p": true, "h.q": true,
	}, declared)
}

// declaredIn returns the names that the file declares: functions, types, constants and variables by their names, and methods and
// fields by Type.name.
func declaredIn(t *testing.T, path string, source []byte) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, declaration := range file.Decls {
		switch declaration := declaration.(type) {
		case *ast.FuncDecl:
			names[receiverOf(declaration)+declaration.Name.Name] = true
		case *ast.GenDecl:
			for _, spec := range declaration.Specs {
				addSpec(names, spec)
			}
		}
	}
	return names
}

// receiverOf returns the name of the receiver's type and a dot, or "" if the function is no method.
func receiverOf(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return ""
	}
	receiver, _, _ := strings.Cut(types.ExprString(function.Recv.List[0].Type), "[")
	return strings.TrimPrefix(receiver, "*") + "."
}

func addSpec(names map[string]bool, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			names[name.Name] = true
		}
	case *ast.TypeSpec:
		names[spec.Name.Name] = true
		for _, member := range membersOf(spec.Type) {
			for _, name := range member.Names {
				names[spec.Name.Name+"."+name.Name] = true
			}
		}
	}
}

// membersOf returns the fields of a struct, or the methods of an interface.
func membersOf(expression ast.Expr) []*ast.Field {
	switch expression := expression.(type) {
	case *ast.StructType:
		return expression.Fields.List
	case *ast.InterfaceType:
		return expression.Methods.List
	default:
		return nil
	}
}
