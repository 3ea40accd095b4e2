// Goapi writes what other modules can use of the packages primitives and mutations: a file for each package, with a line for each
// exported name. A line that is gone, or that differs, breaks a program that uses it; a new line breaks none. The tests of this package
// compare the files with the packages.
//
//	goapi [-accept-removals] <top of the tree> <directory of the files>
//
// Goapi adds lines and keeps those that are gone, so that generating the files does not hide a removal from the test. With
// -accept-removals it drops them.
//
// A field more is accepted, also if programs write the struct without the names of fields: go vet reports that, and the promise of
// Go 1 excludes it, too. A struct with exported fields that can be compared, or be the key of a map, has a line that says so.
//
// Apidiff is not used: its export is binary, so that a review sees no difference, and it missed a changed signature of a builder that
// is an alias of a type of an internal package.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "goapi:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("goapi", flag.ContinueOnError)
	acceptRemovals := flags.Bool("accept-removals", false, "drop the lines of names that are gone")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return fmt.Errorf("want the top of the tree and a directory, got %q", flags.Args())
	}
	root, dir := flags.Arg(0), flags.Arg(1)
	packages, err := load(root)
	if err != nil {
		return err
	}
	if *acceptRemovals {
		if err := removeFiles(dir); err != nil {
			return err
		}
	}
	for _, pkg := range packages {
		file := filepath.Join(dir, fileOf(pkg.Path()))
		former, err := read(file)
		if err != nil {
			return err
		}
		content := strings.Join(union(former, linesOf(pkg)), "\n") + "\n"
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func removeFiles(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// read returns the lines of a file, none if it does not exist.
func read(file string) ([]string, error) {
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(string(content)), "\n"), nil
}

// union returns the present lines and those of the former that are gone, sorted.
func union(former, now []string) []string {
	all := slices.Concat(gone(former, now), now)
	slices.Sort(all)
	return all
}

// gone returns the lines that are not there any more. A method that values have, too, is there.
func gone(former, now []string) []string {
	return slices.DeleteFunc(slices.Clone(former), func(line string) bool {
		return slices.Contains(now, line) || slices.Contains(now, strings.Replace(line, "method (*", "method (", 1))
	})
}

// fileOf returns the name of the file of a package.
func fileOf(importPath string) string {
	return strings.ReplaceAll(strings.TrimPrefix(importPath, module+"/"), "/", ".") + ".txt"
}
