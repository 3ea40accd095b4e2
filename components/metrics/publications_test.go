package metrics_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/metrics"
)

func TestPublicationsAreCountedAtEachScrape(t *testing.T) {
	registry := prometheus.NewRegistry()
	m, err := metrics.New(registry)
	require.NoError(t, err)
	assert.NotContains(t, gauges(t, registry), "projection_published_objects in_sync", "without --remote-clusters there are none")

	known := true
	m.ScrapePublications(func() (metrics.Publications, bool) {
		return metrics.Publications{States: map[metrics.Readiness]int{{Status: "True", Reason: "Synced"}: 2}, InSync: 3, Failed: 4, Pending: 5}, known
	})
	values := gauges(t, registry)
	for name, value := range map[string]float64{
		"projection_published_resources True Synced": 2, "projection_published_objects in_sync": 3,
		"projection_published_objects failed": 4, "projection_published_objects pending": 5,
	} {
		assert.InDelta(t, value, values[name], 0, name)
	}
	known = false
	assert.NotContains(t, gauges(t, registry), "projection_published_objects failed", "they cannot be read")
}
