package deploy_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// later bounds the end of definitions: the API server waits a minute where it cannot look for their objects at once.
const later = 5 * time.Minute

// install installs the chart with the values, until the test ends.
func install(t *testing.T, values string) {
	t.Helper()
	createNamespace(t, namespace)
	helm(t, "install", release, env.Chart(), "--values", file(t, values))
	t.Cleanup(func() { remove(t) })
}

// helm does something with releases of the namespace.
func helm(t *testing.T, args ...string) string {
	t.Helper()
	out, err := cluster.Helm(t.Context(), append(args, "--namespace", namespace)...)
	require.NoError(t, err)
	return out
}

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// remove leaves nothing of an installation behind, whatever state it is in.
func remove(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	_, err := cluster.Helm(ctx, "uninstall", release, "--ignore-not-found", "--namespace", namespace)
	require.NoError(t, err)
	_, err = cluster.Kubectl(ctx, "delete", "crd", "projections.projection.sh", "clusterprojections.projection.sh", "publishedresources.projection.sh", "remoteclusters.projection.sh", "--ignore-not-found", "--timeout", later.String())
	require.NoError(t, err)
	_, err = cluster.Kubectl(ctx, "delete", "lease", "--all", "--namespace", namespace)
	require.NoError(t, err)
}

// operate runs the manager in this process, with a token of the service account.
func operate(t *testing.T, account string) *manager.InProcess {
	t.Helper()
	config, err := cluster.ServiceAccountConfig(t.Context(), namespace, account)
	require.NoError(t, err)
	metrics, err := env.Address()
	require.NoError(t, err)
	operator, err := manager.StartReady(t.Context(), config, func(o *app.Options) {
		o.LeaderElect, o.LeaderElectionNamespace = true, namespace
		o.MetricsBindAddress = metrics
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = operator.Stop() })
	return operator
}

// kubectl does something with the whole cluster.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := cluster.Kubectl(t.Context(), args...)
	require.NoError(t, err)
	return out
}
