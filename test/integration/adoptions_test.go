package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	v1 "projection.sh/operator/api/v1"
)

// TestAdoptionsAreCounted. Other tests adopt at the same time.
func TestAdoptionsAreCounted(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.foreign(w.Away, other)
	before := adoptions(t)
	rule := w.adopting(source, "{onConflict: AdoptIdentical}", w.Away)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	after := adoptions(t)
	assert.Greater(t, after["differs"], before["differs"])
	w.Merge(rule, `{"spec":{"policy":{"onConflict":"Adopt"}}}`)
	w.Ready(rule)
	assert.Greater(t, adoptions(t)["adopted"], after["adopted"])
	assert.Contains(t, after, "refused")
}

// adoptions returns how many attempts of ClusterProjections to adopt an object the operator has counted, by their result.
func adoptions(t *testing.T) map[string]int {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	counts := map[string]int{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range series.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if family.GetName() == "projection_adoptions_total" && labels["kind"] == v1.KindClusterProjection {
				counts[labels["result"]] = int(series.GetCounter().GetValue())
			}
		}
	}
	return counts
}
