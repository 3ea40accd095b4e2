// Package browser_test shows the pages of the plugin in Chromium: that they are accessible, fit on a phone, follow changes and need nothing that their
// policy forbids.
package browser_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

var (
	cluster *env.Environment
	plugin  string
)

func TestMain(m *testing.M) {
	env.Log(false)
	dir, err := os.MkdirTemp("", "plugin")
	if err != nil {
		panic(err)
	}
	plugin = filepath.Join(dir, "kubectl-projection")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", plugin, "./cmd/kubectl-projection")
	build.Dir, build.Env, build.Stderr = env.Root(), append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	start := func() (*manager.InProcess, error) {
		operator, err := manager.StartReady(context.Background(), cluster.Config)
		if err == nil {
			err = populate(context.Background(), dir)
		}
		return operator, err
	}
	code := manager.Main(m, &cluster, start, env.WithCRDs(env.CRDs()))
	_ = os.RemoveAll(dir) // a temporary directory
	os.Exit(code)
}

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	printed, err := cluster.Kubectl(t.Context(), args...)
	require.NoError(t, err, printed)
	return printed
}
