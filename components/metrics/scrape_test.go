package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/metrics"
)

// TestGaugesAreReadAtEachScrape has two kinds of rules, which share the watches on sources.
func TestGaugesAreReadAtEachScrape(t *testing.T) {
	registry := prometheus.NewRegistry()
	m, err := metrics.New(registry)
	require.NoError(t, err)
	sources := func() (open, failing int) { return 5, 1 }
	scraped := func(copies, failing, orphans int, pending time.Duration, uncertain bool) metrics.Scraped {
		return metrics.Scraped{
			Sources: sources, Copies: func() (int, int) { return copies, failing }, Orphans: func() int { return orphans },
			OldestPending: func() time.Duration { return pending }, SchemaUncertain: func() bool { return uncertain },
		}
	}
	m.Scrape("Projection", scraped(2, 1, 3, 0, true))
	m.Scrape("ClusterProjection", scraped(4, 0, 0, time.Minute, false))
	values := gauges(t, registry)
	want := map[string]float64{
		"projection_watched_gvks": 5, "projection_watched_dest_gvks": 6, "projection_watches_failing": 2, "projection_definitions_unknown": 1,
		"projection_orphans Projection": 3, "projection_orphans ClusterProjection": 0,
		"projection_oldest_pending_seconds Projection": 0, "projection_oldest_pending_seconds ClusterProjection": 60,
	}
	for name, value := range want {
		assert.InDelta(t, value, values[name], 0, name)
	}
}

// gauges returns the gauges of the registry. The name of each is followed by the values of its labels, in the order of their names.
func gauges(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			name := []string{family.GetName()}
			for _, label := range series.GetLabel() {
				name = append(name, label.GetValue())
			}
			if series.GetGauge() != nil {
				values[strings.Join(name, " ")] = series.GetGauge().GetValue()
			}
		}
	}
	return values
}
