package projector

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

// series returns the values of a metric by its labels, written as "name=value,…". Of a histogram, it is the sum.
func (f *fixture) series(t *testing.T, name string) map[string]float64 {
	t.Helper()
	families, err := f.registry.Gather()
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

func TestReconcilesAreCounted(t *testing.T) {
	outcomes := func(all ...destination.Outcome) func(*scope[*v1.ClusterProjection]) error {
		return func(p *scope[*v1.ClusterProjection]) error { p.local.outcomes = all; return nil }
	}
	passes := []struct {
		result string
		run    func(*scope[*v1.ClusterProjection]) error
	}{
		{"success", outcomes(fine("a", destination.Created))},
		{"success", outcomes()},
		{"success", outcomes(wouldBe("a", destination.Created))},
		{"conflict", outcomes(fine("a", destination.Unchanged), failed("b", conflict, "x"))},
		{"destination_error", outcomes(failed("a", refusal, "x"))},
		{"destination_error", outcomes(failed("a", conflict, "x"), failed("b", refusal, "x"))},
		{"destination_error", func(*scope[*v1.ClusterProjection]) error {
			return plan.Retryable(v1.ConditionDestinationWritten, v1.ReasonNamespaceResolutionFailed, assert.AnError)
		}},
		{"source_error", func(*scope[*v1.ClusterProjection]) error { return terminal("no", 0) }},
		{"source_error", func(p *scope[*v1.ClusterProjection]) error {
			p.named().problem = policy.Problem{Reason: v1.ReasonSourceNotFound, Message: "none"}
			return nil
		}},
	}
	b := newFixture(t)
	want := map[string]float64{}
	for _, result := range []string{"success", "conflict", "source_error", "destination_error"} {
		want["kind=ClusterProjection,result="+result] = 0
	}
	assert.Equal(t, want, b.series(t, "projection_reconcile_total"), "what has not happened yet is told, too")
	assert.Equal(t, states(0, 0, 0, 0), b.series(t, "projection_destinations"))
	for _, pass := range passes {
		p := b.scope(newRule())
		p.recordMetrics(p.conditions(pass.run(p)))
		want["kind=ClusterProjection,result="+pass.result]++
		assert.Equal(t, want, b.series(t, "projection_reconcile_total"))
	}
}

// An operator that was started again counts the copies that a rule keeps, and has not looked at, as the status of the rule does.
func TestCopiesThatAreKeptAreCountedAsReported(t *testing.T) {
	b := newFixture(t)
	b.adapter.Counted = func(rule *v1.ClusterProjection) metrics.Copies {
		return metrics.Copies{InSync: int(*rule.Status.NamespacesWritten), Failed: int(*rule.Status.NamespacesFailed)}
	}
	keep := func(name string, outcomes ...destination.Outcome) *scope[*v1.ClusterProjection] {
		rule := newRule()
		rule.Name = name
		rule.Status.NamespacesWritten, rule.Status.NamespacesFailed = new(int32(3)), new(int32(2))
		p := b.scope(rule)
		p.local.outcomes = outcomes
		return p
	}
	record := func(p *scope[*v1.ClusterProjection]) { p.recordMetrics(p.conditions(terminal("no", 0))) }
	selecting := keep("selecting")
	selecting.spec.Source.Selector = &v1.SourceSelector{}
	record(selecting)
	assert.Equal(t, states(0, 0, 0, 0), b.series(t, "projection_destinations"), "this status counts namespaces")
	record(keep("one"))
	record(keep("two"))
	assert.Equal(t, states(6, 4, 0, 0), b.series(t, "projection_destinations"))
	record(keep("two", fine("a", destination.Unchanged)))
	record(keep("two"))
	assert.Equal(t, states(4, 2, 0, 0), b.series(t, "projection_destinations"), "what was looked at counts")
}

func TestTimeFromTriggerToCopyIsMeasured(t *testing.T) {
	b := newFixture(t)
	measure := func(cause watch.Trigger, action destination.Action, failure error) {
		b.remember(ruleKey, cause, now.Add(-2*time.Second))
		p := b.scope(newRule())
		p.local.outcomes = []destination.Outcome{fine("a", action)}
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
func states(inStep, failed, held, skipped float64) map[string]float64 {
	return map[string]float64{
		"kind=ClusterProjection,state=in_step": inStep, "kind=ClusterProjection,state=failed": failed, "kind=ClusterProjection,state=held": held,
		"kind=ClusterProjection,state=skipped": skipped,
	}
}

func TestCopiesAreAddedUp(t *testing.T) {
	b := newFixture(t)
	one, two := types.NamespacedName{Name: "one"}, types.NamespacedName{Name: "two"}
	count := func(rule types.NamespacedName, inSync, failures, held, skipped int) {
		named := newRule()
		named.Name = rule.Name
		s := b.scope(named)
		s.local.wanted.Skipped = skipped
		s.local.outcomes = slices.Concat(
			slices.Repeat([]destination.Outcome{fine("a", destination.Unchanged)}, inSync),
			slices.Repeat([]destination.Outcome{failed("b", conflict, conflictMessage)}, failures),
			slices.Repeat([]destination.Outcome{wouldBe("c", destination.Updated)}, held),
			[]destination.Outcome{{Place: in("d"), Pending: true}},
		)
		s.countCopies()
	}
	count(one, 3, 1, 2, 7)
	count(two, 2, 0, 0, 4)
	count(one, 4, 0, 0, 1)
	count(two, 0, 2, 1, 4)
	assert.Equal(t, states(4, 2, 1, 5), b.series(t, "projection_destinations"))

	b.forgetRule(one)
	b.forgetRule(two)
	b.forgetRule(two)
	assert.Equal(t, states(0, 0, 0, 0), b.series(t, "projection_destinations"))
	assert.Zero(t, b.memory.Len())
}

func TestReconcileThatDidNotComeToCopiesLeavesTheirNumber(t *testing.T) {
	b := newFixture(t)
	p := b.scope(newRule())
	p.local.outcomes = many("abc", func(ns string) destination.Outcome { return fine(ns, destination.Created) })
	p.recordMetrics(p.conditions(nil))
	p = b.scope(newRule())
	p.recordMetrics(p.conditions(plan.Retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, assert.AnError)))
	assert.Equal(t, states(3, 0, 0, 0), b.series(t, "projection_destinations"))

	p = b.scope(newRule())
	p.named().problem, p.local.outcomes = policy.Problem{Reason: v1.ReasonSourceDeleted, Message: "gone"}, []destination.Outcome{}
	p.recordMetrics(p.conditions(nil))
	assert.Equal(t, states(0, 0, 0, 0), b.series(t, "projection_destinations"))
}

func TestNoLabelHoldsANameOfAnObject(t *testing.T) {
	b := newFixture(t)
	b.remember(ruleKey, watch.RuleChanged, now)
	p := b.scope(newRule())
	p.local.outcomes = []destination.Outcome{fine("a", destination.Created)}
	p.recordMetrics(p.conditions(nil))
	families, err := b.registry.Gather()
	require.NoError(t, err)
	names := map[string]bool{}
	for _, family := range families {
		names[family.GetName()] = true
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				assert.Contains(t, []string{"kind", "result", "event", "state", "ready", "reason"}, label.GetName())
				assert.NotContains(t, []string{"rule", "a", "settings", "home"}, label.GetValue())
			}
		}
	}
	for _, name := range []string{
		"projection_reconcile_total", "projection_e2e_seconds", "projection_destinations", "projection_watched_gvks", "projection_watched_dest_gvks",
		"projection_rules", "projection_oldest_pending_seconds",
	} {
		assert.Contains(t, names, name)
	}
}
