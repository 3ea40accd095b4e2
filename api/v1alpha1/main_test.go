package v1alpha1_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	crds, err := generate()
	if err != nil {
		fmt.Fprintln(os.Stderr, "The tests need a CustomResourceDefinition:", err)
		os.Exit(1)
	}
	code := env.Main(m, &cluster, env.WithCRDs(crds))
	_ = os.RemoveAll(crds)
	os.Exit(code)
}

// generate writes the CustomResourceDefinitions of a copy of this package that is not skipped, and returns their directory. The go command does
// not see a directory with that name unless it is asked for it.
func generate() (string, error) {
	tool, err := env.Tool("controller-gen")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(filepath.Join(env.Root(), "bin"), "_v1alpha1-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		return "", err
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		content, err := os.ReadFile(source)
		if err != nil {
			return "", err
		}
		content = bytes.ReplaceAll(content, []byte("// +kubebuilder:skip\n"), nil)
		if err := os.WriteFile(filepath.Join(dir, source), content, 0o600); err != nil {
			return "", err
		}
	}
	crds, err := os.MkdirTemp("", "crds-")
	if err != nil {
		return "", err
	}
	command := exec.Command(tool, "crd", "paths=./bin/"+filepath.Base(dir), "output:crd:dir="+crds)
	command.Dir, command.Stderr = env.Root(), os.Stderr
	return crds, command.Run()
}
