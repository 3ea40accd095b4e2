package env

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// AssetsVariable names the directory that holds the control plane's programs.
const AssetsVariable = "KUBEBUILDER_ASSETS"

// Assets returns a directory of etcd, kube-apiserver and kubectl, and of the programs that are named. What is nowhere to be
// found is built.
func Assets(programs ...Program) (string, error) {
	script := filepath.Join(Root(), "test", "controlplane", "build.sh")
	arguments := []string{string(Etcd), string(APIServer), "kubectl"}
	for _, program := range programs {
		arguments = append(arguments, string(program))
	}
	var path bytes.Buffer
	build := exec.Command(script, arguments...)
	build.Stdout, build.Stderr, build.Env = &path, os.Stderr, os.Environ()
	for _, name := range []string{AssetsVariable, "K8S_VERSION"} { // asked for by name: then go test knows on what a result depends
		build.Env = append(build.Env, name+"="+os.Getenv(name))
	}
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("build the control plane with %s: %w", script, err)
	}
	return strings.TrimSpace(path.String()), nil
}

// Root returns the top of the source tree, which the working directory is in. A program cannot know where it was compiled:
// with -trimpath, that is not in it.
var Root = sync.OnceValue(func() string {
	working, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for dir := working; ; dir = filepath.Dir(dir) {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.Contains("\n"+string(content), "\nmodule "+module+"\n") {
			return dir
		}
		if dir == filepath.Dir(dir) {
			panic(fmt.Sprintf("%s is not in the source tree of %s: run this from there", working, module))
		}
	}
})

// module is the operator's; there are others in its tree.
const module = "projection.sh/operator"

// CRDs returns the directory of this project's own CustomResourceDefinitions.
func CRDs() string { return filepath.Join(Root(), "config", "crd", "bases") }
