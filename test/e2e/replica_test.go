package e2e_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// start runs a replica as the Deployment says, and returns when it is ready. A pod would have a service account, a namespace
// and an address of its own; the arguments that are added stand for those.
func (i *installation) start() *manager.Process {
	i.t.Helper()
	pod := i.deployment().Spec.Template.Spec
	args := append(slices.Clone(pod.Containers[0].Args),
		"--kubeconfig="+kubeconfig(i.t, pod.ServiceAccountName), "--leader-election-namespace="+system)
	replica, err := manager.StartReadyProcess(i.t.Context(), program, filepath.Join(i.t.TempDir(), "manager.log"), args...)
	require.NoError(i.t, err)
	i.t.Cleanup(func() {
		_ = replica.Stop() // it may have ended
		if log := replica.Log(); i.t.Failed() {
			i.t.Logf("the end of the manager's log:\n%s", log[max(0, len(log)-5000):])
		}
	})
	return replica
}

// kubeconfig returns the path of a file by which the service account reaches the API server.
func kubeconfig(t *testing.T, account string) string {
	t.Helper()
	config, err := cluster.ServiceAccountConfig(t.Context(), system, account)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, env.WriteKubeConfig(path, config))
	return path
}
