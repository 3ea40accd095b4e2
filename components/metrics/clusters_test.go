package metrics_test

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/metrics"
)

func TestClustersAreCountedAtEachScrape(t *testing.T) {
	registry := prometheus.NewRegistry()
	m, err := metrics.New(registry)
	require.NoError(t, err)
	assert.NotContains(t, gauges(t, registry), "projection_cluster_orphans", "without --remote-clusters there are none")

	now := metrics.Clusters{
		States:  map[metrics.Readiness]int{{Status: "True", Reason: "Connected"}: 2, {Status: "False", Reason: "Unreachable"}: 1},
		Orphans: 3, Owed: 4, CredentialsExpire: time.Unix(5000, 0),
	}
	known := true
	m.ScrapeClusters(func() (metrics.Clusters, bool) { return now, known })
	want := map[string]float64{
		"projection_clusters True Connected": 2, "projection_clusters False Unreachable": 1,
		"projection_cluster_orphans": 3, "projection_cluster_owed": 4, "projection_cluster_credentials_expiry_timestamp_seconds": 5000,
	}
	values := gauges(t, registry)
	for name, value := range want {
		assert.InDelta(t, value, values[name], 0, name)
	}

	now = metrics.Clusters{}
	values = gauges(t, registry)
	assert.Contains(t, values, "projection_cluster_owed")
	assert.NotContains(t, values, "projection_clusters True Connected")
	assert.NotContains(t, values, "projection_cluster_credentials_expiry_timestamp_seconds", "none says when it ends")

	known = false
	assert.NotContains(t, gauges(t, registry), "projection_cluster_owed", "they cannot be read")
}
