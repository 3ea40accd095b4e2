// Importgraph draws which packages of the operator import which, as a Mermaid diagram, into a document.
//
//	go run ./test/importgraph CONTRIBUTING.md
//
// It replaces what stands between the lines "<!-- begin import graph -->" and "<!-- end import graph -->".
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

const (
	begin = "<!-- begin import graph -->\n"
	end   = "<!-- end import graph -->\n"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: importgraph <document>")
		os.Exit(2)
	}
	if err := draw(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func draw(document string) error {
	imports, err := list()
	if err != nil {
		return err
	}
	content, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	drawn, err := insert(string(content), diagram(reduced(imports)))
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	return os.WriteFile(document, []byte(drawn), 0o644)
}

// insert replaces what stands between the two marks.
func insert(document, diagram string) (string, error) {
	before, rest, begins := strings.Cut(document, begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return "", errors.New("the document has no place for the import graph")
	}
	return before + begin + diagram + end + after, nil
}

// list returns the packages of the operator that each of them imports, below the module.
func list() (map[string][]string, error) {
	output, err := exec.Command("go", "list", "-json=ImportPath,Imports,Module", "./api/...", "./cmd/...", "./components/...",
		"./mutations/...", "./primitives/...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	imports := map[string][]string{}
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for {
		var listed struct {
			ImportPath string
			Imports    []string
			Module     struct{ Path string }
		}
		switch err := decoder.Decode(&listed); {
		case errors.Is(err, io.EOF):
			return imports, nil
		case err != nil:
			return nil, err
		}
		from := nodeOf(listed.ImportPath, listed.Module.Path)
		for _, imported := range listed.Imports {
			if to := nodeOf(imported, listed.Module.Path); to != "" && to != from {
				imports[from] = append(imports[from], to)
			}
		}
	}
}

// nodeOf returns the node that a package belongs to: its first folder, or its first two in api, cmd and components. It is empty for
// packages of other modules.
func nodeOf(pkg, module string) string {
	path, ours := strings.CutPrefix(pkg, module+"/")
	if !ours {
		return ""
	}
	folders := strings.Split(path, "/")
	depth := map[string]int{"api": 2, "cmd": 2, "components": 2}[folders[0]]
	return strings.Join(folders[:min(len(folders), max(depth, 1))], "/")
}
