package push_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
)

// series returns the values of a gauge, or how often a histogram was observed, by the value of a label.
func series(c require.TestingT, registry *prometheus.Registry, metric, label string) map[string]float64 {
	families, err := registry.Gather()
	require.NoError(c, err)
	found := map[string]float64{}
	for _, family := range families {
		for _, one := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range one.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			if family.GetName() == metric && labels["kind"] == "ClusterProjection" {
				found[labels[label]] = one.GetGauge().GetValue() + float64(one.GetHistogram().GetSampleCount())
			}
		}
	}
	return found
}

// TestMetricsCountCopiesInOtherClusters counts those of one rule in two clusters.
func TestMetricsCountCopiesInOtherClusters(t *testing.T) {
	registry := prometheus.NewRegistry()
	restartAs(t, func(o *app.Options) { o.Registry = registry })
	p := newPushing(t)
	rule := p.push(p.World.Create(consenting))
	p.Ready(rule)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		copies := series(c, registry, "projection_destinations", "state")
		assert.InDelta(c, 2, copies["in_step"], 0)
		took := series(c, registry, "projection_cluster_e2e_seconds", "event")
		assert.InDelta(c, 2, took["create"], 0, "%v", took)
	}, env.Timeout, env.Interval)

	p.Delete(rule)
	p.World.Gone(rule)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.InDelta(c, 0, series(c, registry, "projection_destinations", "state")["in_step"], 0)
	}, env.Timeout, env.Interval)
}
