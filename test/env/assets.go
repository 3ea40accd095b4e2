package env

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// AssetsVariable names the directory that holds the control plane's programs.
const AssetsVariable = "KUBEBUILDER_ASSETS"

// Assets returns the directory of etcd, kube-apiserver, kube-controller-manager and kubectl, building them if needed.
func Assets() (string, error) {
	if dir := os.Getenv(AssetsVariable); dir != "" {
		return dir, nil
	}
	script := filepath.Join(Root(), "test", "controlplane", "build.sh")
	var path bytes.Buffer
	build := exec.Command(script)
	build.Stdout, build.Stderr = &path, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("build the control plane with %s: %w", script, err)
	}
	return strings.TrimSpace(path.String()), nil
}

// Root returns the top of the source tree.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// CRDs returns the directory of this project's own CustomResourceDefinitions.
func CRDs() string { return filepath.Join(Root(), "config", "crd", "bases") }
