package gitops_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/env/remotes"
)

// toldOfClusters returns what a manager with --remote-clusters exports of a RemoteCluster that is ready, of one that is not, and of a
// PublishedResource.
func toldOfClusters(t *testing.T) map[string][]labels.Labels {
	t.Helper()
	registry := prometheus.NewRegistry()
	remote := manager.Start(cluster.Config, func(o *app.Options) {
		o.WatchLabelSelector, o.RemoteClusters, o.Registry = "clusters", true, registry
		o.LeaderElectionNamespace = remotes.Secrets
	})
	t.Cleanup(func() { require.NoError(t, remote.Stop()) })
	remotes.Declare(t, cluster, cluster, "itself")
	manifest := filepath.Join("testdata", "notready.yaml")
	_, err := cluster.Kubectl(t.Context(), "apply", "--filename", manifest)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := cluster.Kubectl(context.Background(), "delete", "--filename", manifest)
		assert.NoError(t, err)
	})
	everywhere, err := metrics.New(registry)
	require.NoError(t, err)
	elsewhere, err := everywhere.Elsewhere()
	require.NoError(t, err)
	elsewhere.Propagated("ClusterProjection", "create", time.Second) // a copy in the RemoteCluster would be one in the cluster of the rules
	exported := map[string]*dto.MetricFamily{}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		families, err := registry.Gather()
		require.NoError(c, err)
		for _, family := range families {
			if name := family.GetName(); strings.HasPrefix(name, "projection_cluster") || strings.HasPrefix(name, "projection_published") {
				exported[family.GetName()] = family
			}
		}
		assert.Len(c, exported["projection_clusters"].GetMetric(), 2)
		assert.NotEmpty(c, exported["projection_published_resources"].GetMetric())
	}, env.Timeout, env.Interval)
	return seriesOf(exported)
}
