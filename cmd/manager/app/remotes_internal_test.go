package app

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func unstarted(t *testing.T) manager.Manager {
	t.Helper()
	mgr, err := ctrl.NewManager(&rest.Config{Host: "https://127.0.0.1:1"}, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	require.NoError(t, err)
	return mgr
}

// TestSecretsNeedANamespace runs outside of a pod.
func TestSecretsNeedANamespace(t *testing.T) {
	options := Defaults()
	options.RemoteClusters = true
	_, err := connectRemotes(unstarted(t), options, nil, nil)
	require.EqualError(t, err, "--remote-clusters: outside of a pod the Secrets with the kubeconfigs need a place; set --leader-election-namespace")

	options.LeaderElectionNamespace = "here"
	remotes, err := connectRemotes(unstarted(t), options, nil, nil)
	require.NoError(t, err)
	assert.NotNil(t, remotes)
}

func TestWithoutTheFlagThereAreNoOtherClusters(t *testing.T) {
	remotes, err := connectRemotes(unstarted(t), Defaults(), nil, nil)
	require.NoError(t, err)
	assert.Nil(t, remotes)
}
