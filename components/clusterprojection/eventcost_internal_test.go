package clusterprojection

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/watch"
)

// manyRules are as many rules that list 5,000 namespaces as rules that select some. None of them is concerned by the namespace
// "tenant".
func manyRules(count int) rules {
	names := make([]string, 5000)
	for i := range names {
		names[i] = fmt.Sprintf("other-%05d", i)
	}
	var all rules
	for i := range count {
		all.items = append(all.items,
			rule(fmt.Sprintf("lists-%d", i), v1.ClusterProjectionDestination{Namespaces: names}),
			rule(fmt.Sprintf("selects-%d", i), v1.ClusterProjectionDestination{
				NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"group": "blue", "tier": "two"}},
			}))
	}
	return all
}

func enqueueNone(watch.RuleKey, watch.Trigger, time.Time) {}

// TestEventOfANamespaceAllocatesNothingPerRule counts what an event allocates once the selectors are parsed.
func TestEventOfANamespaceAllocatesNothingPerRule(t *testing.T) {
	allocations := func(count int) float64 {
		matcher := newEventMatcher(NewNamespaces(manyRules(count), nil, nil, nil))
		before, after := namespace("", false), namespace("red", false)
		return testing.AllocsPerRun(5, func() { matcher.changed(t.Context(), before, after, enqueueNone) })
	}
	few, many := allocations(1), allocations(100)
	assert.InDelta(t, few, many, 0)
}

func TestParsedSelectorsFollowTheirRules(t *testing.T) {
	red, blue := map[string]string{"group": "red"}, map[string]string{"group": "blue"}
	selects := func(name string, generation int64, labels map[string]string) *v1.ClusterProjection {
		selecting := rule(name, v1.ClusterProjectionDestination{NamespaceSelector: &v1.NamespaceSelector{MatchLabels: labels}})
		selecting.Generation = generation
		return &selecting
	}
	matcher := newEventMatcher(NewNamespaces(rules{}, nil, nil, nil))
	assert.True(t, matcher.isTarget(selects("edited", 1, red), namespace("red", false)))
	assert.False(t, matcher.isTarget(selects("edited", 2, blue), namespace("red", false)), "another generation")
	assert.True(t, matcher.isTarget(selects("created again", 1, red), namespace("red", false)), "another uid")
	matcher.forget(1)
	assert.Len(t, matcher.parsed, 2, "two selectors of one rule are few")
	matcher.forget(0)
	assert.Empty(t, matcher.parsed, "the rules are gone")
}

// BenchmarkNamespaceEvent lets 1,000 rules with lists of 5,000 names, and 1,000 with selectors, judge an event.
func BenchmarkNamespaceEvent(b *testing.B) {
	matcher := newEventMatcher(NewNamespaces(manyRules(1000), nil, nil, nil))
	before, after := namespace("", false), namespace("red", false)
	b.ReportAllocs()
	for b.Loop() {
		matcher.changed(b.Context(), before, after, enqueueNone)
	}
}
