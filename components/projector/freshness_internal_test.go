package projector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

func TestRulesAreCountedByTheirReadiness(t *testing.T) {
	b := newFixture(t)
	count := func(name string, problem policy.Problem, outcomes ...destination.Outcome) {
		rule := newRule()
		rule.Name = name
		p := b.scope(rule)
		p.named().problem, p.local.outcomes = problem, outcomes
		p.recordMetrics(p.conditions(nil))
	}
	gone := policy.Problem{Reason: v1.ReasonSourceDeleted, Message: "gone"}
	count("one", policy.Problem{}, fine("a", destination.Created))
	count("two", policy.Problem{}, fine("a", destination.Unchanged))
	count("three", gone)
	count("four", policy.Problem{}, destination.Outcome{Place: in("a"), Pending: true})
	projected, deleted := "kind=ClusterProjection,ready=True,reason=Projected", "kind=ClusterProjection,ready=False,reason=SourceDeleted"
	inProgress := "kind=ClusterProjection,ready=False,reason=DestinationWriteInProgress"
	assert.Equal(t, map[string]float64{projected: 2, deleted: 1, inProgress: 1}, b.series(t, "projection_rules"))

	count("one", gone)
	count("four", policy.Problem{}, fine("a", destination.Created))
	assert.Equal(t, map[string]float64{projected: 2, deleted: 2, inProgress: 0}, b.series(t, "projection_rules"))
	for _, name := range []string{"one", "two", "two", "three", "four"} {
		b.forgetRule(types.NamespacedName{Name: name})
	}
	assert.Equal(t, map[string]float64{projected: 0, deleted: 0, inProgress: 0}, b.series(t, "projection_rules"))
	assert.Zero(t, b.memory.Len())
}

// TestOldestChangeThatIsPending enqueues rules, and looks at the age of the oldest change while and after they are reconciled.
func TestOldestChangeThatIsPending(t *testing.T) {
	b := newFixture(t)
	age := func() time.Duration {
		return time.Duration(b.series(t, "projection_oldest_pending_seconds")["kind=ClusterProjection"] * float64(time.Second))
	}
	assert.Zero(t, age())
	other := types.NamespacedName{Name: "other"}
	b.remember(ruleKey, watch.SourceChanged, now.Add(-5*time.Second))
	b.remember(ruleKey, watch.CopyChanged, now.Add(-3*time.Second))
	b.remember(other, watch.RuleChanged, now.Add(-time.Second))
	assert.Equal(t, 5*time.Second, age())

	p := b.scope(newRule())
	assert.Equal(t, 5*time.Second, age(), "a reconcile deals with it")
	p.restoreTriggers()
	p.end()
	assert.Equal(t, 5*time.Second, age(), "it is tried again")

	p = b.scope(newRule())
	b.remember(ruleKey, watch.CopyChanged, now.Add(-2*time.Second))
	assert.Equal(t, 5*time.Second, age())
	p.end()
	assert.Equal(t, 2*time.Second, age(), "what came meanwhile is left to the next reconcile")

	p = b.scope(newRule())
	b.forgetRule(ruleKey)
	p.end()
	assert.Equal(t, 1, b.memory.Len(), "a rule that is gone is not remembered")
	assert.Equal(t, time.Second, age())
	b.forgetRule(other)
	assert.Zero(t, age())
	b.remember(other, watch.RuleChanged, now.Add(time.Second))
	assert.Zero(t, age(), "another clock")
}
