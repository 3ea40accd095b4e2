package metrics_test

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/metrics"
)

func TestCopiesElsewhereHaveASeparateLatencyAndTheSamePanics(t *testing.T) {
	registry := prometheus.NewRegistry()
	m, err := metrics.New(registry)
	require.NoError(t, err)
	elsewhere, err := m.Elsewhere()
	require.NoError(t, err)
	m.Start("ClusterProjection")
	elsewhere.Start("ClusterProjection")
	elsewhere.Propagated("ClusterProjection", "create", time.Second)
	elsewhere.Panicked("ClusterProjection")
	elsewhere.AdoptionEnded("ClusterProjection", metrics.Adopted)
	elsewhere.Evaluated(time.Second, true)
	elsewhere.Reconciled("ClusterProjection", metrics.Success)
	elsewhere.ReplaceCopies("ClusterProjection", metrics.Copies{InSync: 1}, metrics.Copies{})

	families, err := registry.Gather()
	require.NoError(t, err)
	counted := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			counted[family.GetName()] += metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		}
	}
	for name, count := range map[string]float64{
		"projection_cluster_e2e_seconds": 1, "projection_e2e_seconds": 0, "projection_panics_total": 1, "projection_adoptions_total": 1,
		"projection_expression_seconds": 1, "projection_reconcile_total": 0, "projection_destinations": 0,
	} {
		assert.InDelta(t, count, counted[name], 0, name)
	}
}
