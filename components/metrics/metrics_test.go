package metrics_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/metrics"
)

func TestMetricsAreRegisteredOnce(t *testing.T) {
	registry := prometheus.NewRegistry()
	first, err := metrics.New(registry)
	require.NoError(t, err)
	second, err := metrics.New(registry)
	require.NoError(t, err, "both kinds of rules, and one manager after another, share them")
	assert.Equal(t, first, second)
	first.Reconciled("Projection", metrics.Success)
	second.Reconciled("Projection", metrics.Success)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == "projection_reconcile_total" {
			assert.InDelta(t, 2, family.GetMetric()[0].GetCounter().GetValue(), 0)
		}
	}
}

func TestNameThatAnotherMetricHasIsAnError(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "projection_destinations", Help: "Another."}))
	_, err := metrics.New(registry)
	require.Error(t, err)
}
