package env

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Chart returns the directory of the operator's Helm chart.
func Chart() string { return filepath.Join(Root(), "deploy", "charts", "projection") }

var helm = sync.OnceValues(func() (string, error) {
	if err := Read(Chart()); err != nil {
		return "", err
	}
	return Tool("helm")
})

// Read reads every file below the directory, as another program will: go test runs a test again if a file has changed that
// the test itself has read.
func Read(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		_, err = os.ReadFile(path)
		return err
	})
}

// Helm runs helm against the control plane and returns what it printed.
func (e *Environment) Helm(ctx context.Context, args ...string) (string, error) {
	program, err := helm()
	if err != nil {
		return "", err
	}
	home := filepath.Join(e.dir, "helm")
	return e.run(exec.CommandContext(ctx, program, args...),
		"HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
}

// Kubectl runs kubectl against the control plane and returns what it printed.
func (e *Environment) Kubectl(ctx context.Context, args ...string) (string, error) {
	return e.run(exec.CommandContext(ctx, filepath.Join(e.Assets, "kubectl"), args...))
}

// run returns what a client of the control plane printed, or an error that holds its complaint.
func (e *Environment) run(client *exec.Cmd, environment ...string) (string, error) {
	var out, complaint bytes.Buffer
	client.Stdout, client.Stderr = &out, &complaint
	client.Env = append(append(os.Environ(), "KUBECONFIG="+e.KubeConfig), environment...)
	if err := client.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %q: %w: %s", filepath.Base(client.Path), client.Args[1:], err, complaint.String())
	}
	return out.String(), nil
}
