package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// TestMutantsCompile checks the types of each changed package: code that does not compile shows nothing about its test.
func TestMutantsCompile(t *testing.T) {
	mutants, err := all()
	require.NoError(t, err)
	packages := listPackages(t, mutants)
	files := token.NewFileSet()
	imports := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(packages[path].Export)
	})
	parsed := map[string]*ast.File{}
	for _, m := range mutants {
		content, err := m.content()
		require.NoError(t, err)
		changed, err := parser.ParseFile(files, m.File, content, parser.SkipObjectResolution)
		require.NoError(t, err)
		assert.NoError(t, check(files, imports, packages[importPath(m)], parsed, filepath.Base(m.File), changed), m.Name)
	}
}

func importPath(m mutant) string {
	return "projection.sh/operator/" + filepath.ToSlash(filepath.Dir(m.File))
}

// listPackages returns the packages that the mutants change, and all that these import, by their paths.
func listPackages(t *testing.T, mutants []mutant) map[string]listed {
	t.Helper()
	arguments, known := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}, map[string]bool{}
	for _, m := range mutants {
		if path := importPath(m); !known[path] {
			known[path] = true
			arguments = append(arguments, path)
		}
	}
	list := env.GoCommand(t.Context(), arguments...)
	list.Stderr = os.Stderr
	output, err := list.Output()
	require.NoError(t, err)
	packages := map[string]listed{}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var one listed
		err := decoder.Decode(&one)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages[one.ImportPath] = one
	}
}

// check checks the types of a package in which a file is changed. Files that were parsed before are not parsed again.
func check(files *token.FileSet, imports types.Importer, pkg listed, parsed map[string]*ast.File, name string, changed *ast.File) error {
	var all []*ast.File
	for _, file := range pkg.GoFiles {
		path := filepath.Join(pkg.Dir, file)
		if file == name {
			all = append(all, changed)
			continue
		}
		if parsed[path] == nil {
			var err error
			if parsed[path], err = parser.ParseFile(files, path, nil, parser.SkipObjectResolution); err != nil {
				return err
			}
		}
		all = append(all, parsed[path])
	}
	_, err := (&types.Config{Importer: imports}).Check(pkg.ImportPath, files, all, nil)
	return err
}
