package projector

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/watch"
)

// series returns the values of a metric by its labels, written as "name=value,…". Of a histogram, it is the sum.
func (b *bench) series(t *testing.T, name string) map[string]float64 {
	t.Helper()
	families, err := b.registry.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetName()+"="+label.GetValue())
			}
			values[strings.Join(labels, ",")] = metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + metric.GetHistogram().GetSampleSum()
		}
	}
	return values
}

func TestPassesAreCounted(t *testing.T) {
	outcomes := func(all ...destination.Outcome) func(*scope[*v1.ClusterProjection]) error {
		return func(p *scope[*v1.ClusterProjection]) error { p.outcomes = all; return nil }
	}
	passes := []struct {
		result string
		run    func(*scope[*v1.ClusterProjection]) error
	}{
		{"success", outcomes(fine("a", destination.Created))},
		{"success", outcomes()},
		{"conflict", outcomes(fine("a", destination.Unchanged), failed("b", conflict, "x"))},
		{"destination_error", outcomes(failed("a", refusal, "x"))},
		{"destination_error", outcomes(failed("a", conflict, "x"), failed("b", refusal, "x"))},
		{"destination_error", func(*scope[*v1.ClusterProjection]) error {
			return retryable(v1.ConditionDestinationWritten, v1.ReasonNamespaceResolutionFailed, assert.AnError)
		}},
		{"source_error", func(*scope[*v1.ClusterProjection]) error { return terminal("no", 0) }},
		{"source_error", func(p *scope[*v1.ClusterProjection]) error {
			p.problem = problem{v1.ReasonSourceNotFound, "none"}
			return nil
		}},
	}
	b := newBench(t)
	want := map[string]float64{}
	for _, result := range []string{"success", "conflict", "source_error", "destination_error"} {
		want["kind=ClusterProjection,result="+result] = 0
	}
	assert.Equal(t, want, b.series(t, "projection_reconcile_total"), "what has not happened yet is told, too")
	assert.Equal(t, states(0, 0), b.series(t, "projection_destinations"))
	for _, pass := range passes {
		p := b.pass(newRule())
		p.recordMetrics(p.conditions(pass.run(p)))
		want["kind=ClusterProjection,result="+pass.result]++
		assert.Equal(t, want, b.series(t, "projection_reconcile_total"))
	}
}

func TestTimeFromCauseToCopyIsMeasured(t *testing.T) {
	b := newBench(t)
	measure := func(cause watch.Trigger, action destination.Action, failure error) {
		b.triggers.note(ruleKey, cause, now.Add(-2*time.Second))
		p := b.pass(newRule())
		p.outcomes = []destination.Outcome{fine("a", action)}
		p.recordMetrics(p.conditions(failure))
	}
	measure(watch.SourceChanged, destination.Unchanged, nil)
	measure(watch.SourceChanged, destination.Updated, terminal("no", 0))
	assert.Empty(t, b.series(t, "projection_e2e_seconds"), "no copy was brought in step")

	for _, cause := range []watch.Trigger{watch.RuleChanged, watch.SourceChanged, watch.CopyChanged, watch.NamespaceAdded, watch.NamespaceRemoved} {
		measure(cause, destination.Updated, nil)
	}
	assert.Equal(t, map[string]float64{
		"event=create,kind=ClusterProjection": 2, "event=source-update,kind=ClusterProjection": 2, "event=self-heal,kind=ClusterProjection": 2,
		"event=namespace-add,kind=ClusterProjection": 2, "event=namespace-remove,kind=ClusterProjection": 2,
	}, b.series(t, "projection_e2e_seconds"))
}

// states are the series of projection_destinations.
func states(inStep, failed float64) map[string]float64 {
	return map[string]float64{"kind=ClusterProjection,state=in_step": inStep, "kind=ClusterProjection,state=failed": failed}
}

func TestCopiesAreAddedUp(t *testing.T) {
	b := newBench(t)
	one, two := types.NamespacedName{Name: "one"}, types.NamespacedName{Name: "two"}
	b.copyGauge.set(one, 3, 1)
	b.copyGauge.set(two, 2, 0)
	b.copyGauge.set(one, 4, 0)
	b.copyGauge.set(two, 0, 2)
	assert.Equal(t, states(4, 2), b.series(t, "projection_destinations"))

	b.forgetRule(one)
	b.forgetRule(two)
	b.forgetRule(two)
	assert.Equal(t, states(0, 0), b.series(t, "projection_destinations"))
	assert.Empty(t, b.copyGauge.rules)
}

func TestPassThatDidNotComeToCopiesLeavesTheirNumber(t *testing.T) {
	b := newBench(t)
	p := b.pass(newRule())
	p.outcomes = many("abc", func(ns string) destination.Outcome { return fine(ns, destination.Created) })
	p.recordMetrics(p.conditions(nil))
	p = b.pass(newRule())
	p.recordMetrics(p.conditions(retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, assert.AnError)))
	assert.Equal(t, states(3, 0), b.series(t, "projection_destinations"))

	p = b.pass(newRule())
	p.problem, p.outcomes = problem{v1.ReasonSourceDeleted, "gone"}, []destination.Outcome{}
	p.recordMetrics(p.conditions(nil))
	assert.Equal(t, states(0, 0), b.series(t, "projection_destinations"))
}

func TestNoLabelHoldsANameOfAnObject(t *testing.T) {
	b := newBench(t)
	b.triggers.note(ruleKey, watch.RuleChanged, now)
	p := b.pass(newRule())
	p.outcomes = []destination.Outcome{fine("a", destination.Created)}
	p.recordMetrics(p.conditions(nil))
	families, err := b.registry.Gather()
	require.NoError(t, err)
	names := map[string]bool{}
	for _, family := range families {
		names[family.GetName()] = true
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				assert.Contains(t, []string{"kind", "result", "event", "state"}, label.GetName())
				assert.NotContains(t, []string{"rule", "a", "settings", "home"}, label.GetValue())
			}
		}
	}
	for _, name := range []string{
		"projection_reconcile_total", "projection_e2e_seconds", "projection_destinations", "projection_watched_gvks", "projection_watched_dest_gvks",
	} {
		assert.Contains(t, names, name)
	}
}

func TestMetricsAreRegisteredOnce(t *testing.T) {
	registry := prometheus.NewRegistry()
	first, err := NewMetrics(registry)
	require.NoError(t, err)
	second, err := NewMetrics(registry)
	require.NoError(t, err, "both kinds of rules, and one manager after another, share them")
	assert.Equal(t, first, second)
	first.passes.WithLabelValues("Projection", resultSuccess).Inc()
	again := &bench{registry: registry}
	second.passes.WithLabelValues("Projection", resultSuccess).Inc()
	assert.Equal(t, map[string]float64{"kind=Projection,result=success": 2}, again.series(t, "projection_reconcile_total"))

	t.Run("but not over something else", func(t *testing.T) {
		taken := prometheus.NewRegistry()
		taken.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "projection_destinations", Help: "Another."}))
		_, err := NewMetrics(taken)
		require.Error(t, err)
	})
}
