package scale_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// TestEachCauseIsMeasured lets copies change for each reason that there is, and looks for the time that took.
func TestEachCauseIsMeasured(t *testing.T) {
	w := newWorld(t)
	w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "measured", Labels: map[string]string{"group": "measured"}}})
	w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "measured-later"}})
	source := w.source("measured")
	var rule *v1.ClusterProjection
	for _, step := range []struct {
		event string
		cause func()
	}{
		{"create", func() {
			rule = w.fanOut(source, v1.ClusterProjectionDestination{
				NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"group": "measured"}},
			})
			w.counts(rule, 1, 0)
		}},
		{"source-update", func() {
			w.paintBlue(source)
			w.turnsBlue("measured", "measured")
		}},
		{"self-heal", func() {
			require.NoError(t, w.Client.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "measured", Name: "measured"}}))
			w.turnsBlue("measured", "measured")
		}},
		{"namespace-add", func() {
			w.label("measured-later", `"measured"`)
			w.counts(rule, 2, 0)
		}},
		{"namespace-remove", func() {
			w.label("measured-later", "null")
			w.counts(rule, 1, 0)
		}},
	} {
		before := observed(t, step.event)
		step.cause()
		assert.Eventually(t, func() bool { return observed(t, step.event) == before+1 }, timeout, env.Interval, step.event)
	}
}

// observed returns how often the time that it took was measured for an event.
func observed(t *testing.T, event string) (count uint64) {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, series := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range series.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if family.GetName() == "projection_e2e_seconds" && labels["event"] == event && labels["kind"] == v1.KindClusterProjection {
				count += series.GetHistogram().GetSampleCount()
			}
		}
	}
	return count
}
