package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"projection.sh/operator/test/env"
)

// mutant is one change of the code, and the test that has to fail because of it.
type mutant struct {
	// Name says what the changed code does.
	Name string `json:"name"`
	// File is where Old stands exactly once, and is replaced by New.
	File string `json:"file"`
	Old  string `json:"old"`
	New  string `json:"new"`
	// Package and Test are the test that has to fail: TestName or TestName/name of a subtest.
	Package string `json:"package"`
	Test    string `json:"test"`
	// Flags are flags of the test.
	Flags []string `json:"flags"`
}

//go:embed table/*.yaml
var tables embed.FS

// all returns the mutants of all tables.
func all() ([]mutant, error) {
	var mutants []mutant
	files, err := fs.Glob(tables, "table/*.yaml")
	for _, file := range files {
		content, unread := tables.ReadFile(file)
		var table []mutant
		err = errors.Join(err, unread, yaml.UnmarshalStrict(content, &table))
		mutants = append(mutants, table...)
	}
	return mutants, err
}

// quick reports whether the tests of the package start no control plane. Those of the others take seconds to minutes.
func (m mutant) quick() (bool, error) {
	code, err := os.ReadFile(filepath.Join(env.Root(), m.Package, "main_test.go"))
	if errors.Is(err, fs.ErrNotExist) {
		return !strings.HasPrefix(m.Package, "test/"), nil
	}
	return !strings.Contains(string(code), "env."), err
}

// chosen reports whether the mutant is meant by the choice: a word in its file, package or name; "quick"; or "all".
func (m mutant) chosen(choice string) (bool, error) {
	switch choice {
	case "all":
		return true, nil
	case "quick":
		return m.quick()
	default:
		return strings.Contains(m.File+" "+m.Package+" "+m.Name, choice), nil
	}
}

// content returns the file with the change.
func (m mutant) content() (string, error) {
	code, err := os.ReadFile(filepath.Join(env.Root(), m.File))
	if err != nil {
		return "", err
	}
	if found := strings.Count(string(code), m.Old); found != 1 {
		return "", fmt.Errorf("%s: %s has the old code %d times, not once:\n%s", m.Name, m.File, found, m.Old)
	}
	return strings.Replace(string(code), m.Old, m.New, 1), nil
}

// pattern is the test as -run takes it.
func (m mutant) pattern() string {
	parts := strings.Split(strings.ReplaceAll(m.Test, " ", "_"), "/")
	for i, part := range parts {
		parts[i] = "^" + part + "$"
	}
	return strings.Join(parts, "/")
}

// topTest is the name of the test without that of a subtest.
func (m mutant) topTest() string {
	name, _, _ := strings.Cut(m.Test, "/")
	return name
}
