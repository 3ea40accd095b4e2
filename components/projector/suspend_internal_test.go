package projector

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
)

func TestPlanOfASuspendedRule(t *testing.T) {
	inSync := func(namespace string) destination.Outcome { return fine(namespace, destination.Unchanged) }
	would := func(action destination.Action) func(string) destination.Outcome {
		return func(namespace string) destination.Outcome { return wouldBe(namespace, action) }
	}
	created, updated, deleted, retained := would(destination.Created), would(destination.Updated), would(destination.Deleted), would(destination.Retained)
	vetoed := policy.Problem{Reason: v1.ReasonSourceOptedOut, Message: "vetoed"}
	tests := map[string]struct {
		problem                  policy.Problem
		outcomes, removals       []destination.Outcome
		reason, written, reports string
	}{
		"all is to be done": {
			outcomes: slices.Concat(many("ab", created), slices.Repeat(many("c", updated), 40), slices.Repeat(many("d", inSync), 57)), removals: many("e", deleted),
			reason: v1.ReasonSuspended, written: "suspended: would create 2, update 40, delete 1; 57 are in sync",
		},
		"copies are retained": {
			outcomes: many("a", inSync), removals: slices.Concat(many("b", deleted), many("cd", retained)),
			reason: v1.ReasonSuspended, written: "suspended: would delete 1, retain 2; 1 is in sync",
		},
		"one is in sync":    {outcomes: slices.Concat(many("ab", created), many("c", inSync)), reason: v1.ReasonSuspended, written: "suspended: would create 2; 1 is in sync"},
		"none is in sync":   {outcomes: many("ab", updated), reason: v1.ReasonSuspended, written: "suspended: would update 2; none is in sync"},
		"all are in sync":   {outcomes: many("abc", inSync), reason: v1.ReasonProjected, written: "all 3 copies are in sync; the rule is suspended"},
		"one copy":          {outcomes: many("a", inSync), reason: v1.ReasonProjected, written: "the copy is in sync; the rule is suspended"},
		"nothing is wanted": {outcomes: []destination.Outcome{}, reason: v1.ReasonProjected, written: "no copy is wanted; the rule is suspended"},
		"a failure that is known": {
			outcomes: []destination.Outcome{failed("a", refusal, "no"), wouldBe("b", destination.Created), inSync("c")}, reason: refusal,
			written: "1 of 3 copies failed: ConfigMap a/settings: no; suspended: would create 1; 1 is in sync",
		},
		"a request that has not ended": {
			outcomes: []destination.Outcome{{Place: in("a"), Pending: true}, wouldBe("b", destination.Updated), inSync("c")}, reason: v1.ReasonSuspended,
			written: "suspended: would update 1; 1 is in sync",
		},
		"a veto": {
			problem: vetoed, outcomes: []destination.Outcome{}, removals: many("ab", deleted), reason: v1.ReasonSuspended,
			written: "suspended: would delete 2", reports: "vetoed; copies are kept while the rule is suspended",
		},
		"a veto, and no copies": {problem: vetoed, outcomes: []destination.Outcome{}, reason: v1.ReasonSourceNotResolved, written: unwritten.Message, reports: "vetoed; there are no copies; the rule is suspended"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rule := newRule()
			rule.Spec.Suspend = true
			p := newFixture(t).scope(rule)
			p.named().problem, p.local.outcomes, p.local.removals = test.problem, test.outcomes, test.removals
			reported := p.conditions(nil)
			assert.Equal(t, test.reason, reported.written.Reason)
			assert.Equal(t, test.written, reported.written.Message)
			if test.reports != "" {
				assert.Equal(t, test.reports, reported.resolved.Message)
			}
			p.setConditions(reported)
			p.emitTrouble(reported)
			again := newFixture(t).scope(p.rule)
			again.named().problem = test.problem
			assert.NotContains(t, again.conditions(nil).resolved.Message, keptSuspended, "somebody else has deleted the copies")
		})
	}
}

// TestSuspensionIsSeenBeforeEachRequest changes the rule in the cache while a reconcile is under way.
func TestSuspensionIsSeenBeforeEachRequest(t *testing.T) {
	f := newFixture(t)
	cached := newRule()
	f.hub.Client = &cacheOf{rule: cached}
	suspended := f.scope(newRule()).suspended(t.Context())
	assert.False(t, suspended())
	cached.Spec.Suspend, cached.Generation, cached.ResourceVersion = true, 4, "4"
	assert.True(t, suspended())
	cached.DeletionTimestamp = &metav1.Time{Time: now}
	assert.False(t, suspended(), "the deletion of a rule ends its copies")
	cached.DeletionTimestamp, cached.ResourceVersion = nil, "2"
	known := newRule()
	known.ResourceVersion = "3"
	assert.False(t, f.scope(known).suspended(t.Context())(), "the reconcile knows of a later version")

	f.hub.Client = &cacheOf{err: apierrors.NewNotFound(schema.GroupResource{}, "rule")}
	assert.False(t, f.scope(newRule()).suspended(t.Context())(), "nobody else would delete the copies that are not wanted")
	f.hub.Client = &cacheOf{err: errors.New("not known")}
	assert.True(t, f.scope(newRule()).suspended(t.Context())())
}

// TestNothingIsRequestedForASuspendedRule has phases meet a suspended rule that would write. A request would panic: there is no API server.
func TestNothingIsRequestedForASuspendedRule(t *testing.T) {
	f := newFixture(t)
	rule := newRule()
	rule.Spec.Suspend = true
	p := f.scope(rule)
	require.NoError(t, p.claim(t.Context()))
	p.local.outcomes = []destination.Outcome{wouldBe("a", destination.Created)}
	require.NoError(t, p.finishPrune(t.Context()))
	assert.Empty(t, rule.Finalizers)
	assert.Empty(t, f.tombstones.Of(types.NamespacedName{Name: rule.Name}))
}

// cacheOf is a cache of one rule.
type cacheOf struct {
	client.Client
	rule *v1.ClusterProjection
	err  error
}

func (c *cacheOf) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if c.err != nil {
		return c.err
	}
	c.rule.DeepCopyInto(into.(*v1.ClusterProjection))
	return nil
}
