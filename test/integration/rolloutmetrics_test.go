package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	v1 "projection.sh/operator/api/v1"
)

// TestWavesAreMeasured has a change go through two waves.
func TestWavesAreMeasured(t *testing.T) {
	s := stages(t)
	s.waits()
	s.Merge(s.rule, passes)
	s.Ready(s.rule)
	before := measuredWaves(t)
	s.paint("blue")
	s.counts(s.rule, 3, 0)
	s.Ready(s.rule)
	s.Eventually(s.rule, func() bool { return measuredWaves(t) >= before+2 }, "two waves are not measured")
	assert.Equal(t, []string{"blue", "blue", "blue"}, s.colors())
}

// measuredWaves returns how many waves of ClusterProjections the operator has measured.
func measuredWaves(t *testing.T) uint64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() != "projection_rollout_wave_seconds" {
			continue
		}
		for _, series := range family.GetMetric() {
			if series.GetLabel()[0].GetValue() == v1.KindClusterProjection {
				return series.GetHistogram().GetSampleCount()
			}
		}
	}
	return 0
}
