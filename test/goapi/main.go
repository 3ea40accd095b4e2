// Goapi writes what other modules can use of the packages primitives and mutations: a file for each package, with a line for each
// exported name. A line that is gone, or that differs, breaks a program that uses it; a new line breaks none. The tests of this package
// compare the files with the packages.
//
// It is called with the top of the tree and the directory of the files.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "goapi:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want the top of the tree and a directory, got %q", args)
	}
	packages, err := load(args[0])
	if err != nil {
		return err
	}
	former, err := filepath.Glob(filepath.Join(args[1], "*.txt"))
	if err != nil {
		return err
	}
	for _, file := range former {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	for _, pkg := range packages {
		content := strings.Join(linesOf(pkg), "\n") + "\n"
		if err := os.WriteFile(filepath.Join(args[1], fileOf(pkg.Path())), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// fileOf returns the name of the file of a package.
func fileOf(importPath string) string {
	return strings.ReplaceAll(strings.TrimPrefix(importPath, module+"/"), "/", ".") + ".txt"
}
