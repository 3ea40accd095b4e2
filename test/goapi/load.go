package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
)

const module = "projection.sh/operator"

// listed is what go list tells of a package.
type listed struct {
	ImportPath string
	Export     string // the file of its compiled types
	DepOnly    bool   // only imported by those that were asked for
}

// load returns the public packages of the tree, as they are compiled.
func load(root string) ([]*types.Package, error) {
	var out, problems bytes.Buffer
	command := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,DepOnly", "./primitives/...", "./mutations/...")
	command.Dir, command.Stdout, command.Stderr = root, &out, &problems
	// As the Makefile compiles, so that nothing is compiled twice.
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath")
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, problems.String())
	}
	exports, public := map[string]string{}, []string{}
	for decoder := json.NewDecoder(&out); ; {
		var pkg listed
		err := decoder.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		exports[pkg.ImportPath] = pkg.Export
		if !pkg.DepOnly && !isInternal(pkg.ImportPath) && pkg.Export != "" { // without types, it has only tests
			public = append(public, pkg.ImportPath)
		}
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("go list has no types of %s", path)
		}
		return os.Open(exports[path])
	})
	packages := make([]*types.Package, 0, len(public))
	for _, path := range public {
		pkg, err := from.Import(path)
		if err != nil {
			return nil, err
		}
		packages = append(packages, pkg)
	}
	return packages, nil
}

// isInternal reports whether other modules cannot import the package.
func isInternal(importPath string) bool { return strings.Contains(importPath+"/", "/internal/") }
