package env

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// AlphaCRDs writes the CustomResourceDefinitions of api/v1alpha1, which is not served, and returns their directory. Whoever calls it removes that.
//
// They are generated from a copy of the package that is not skipped. The go command does not see a directory with that name unless it is asked for it.
func AlphaCRDs() (string, error) {
	tool, err := Tool("controller-gen")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(filepath.Join(Root(), "bin"), "_v1alpha1-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sources, err := filepath.Glob(filepath.Join(Root(), "api", "v1alpha1", "*.go"))
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
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(source)), content, 0o600); err != nil {
			return "", err
		}
	}
	crds, err := os.MkdirTemp("", "crds-")
	if err != nil {
		return "", err
	}
	command := exec.Command(tool, "crd", "paths=./bin/"+filepath.Base(dir), "output:crd:dir="+crds)
	command.Dir, command.Stderr = Root(), os.Stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("generate CustomResourceDefinitions: %w", err)
	}
	return crds, nil
}
