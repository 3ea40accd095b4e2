package projector

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

const (
	conflict, conflictMessage = v1.ReasonDestinationConflict, "a foreign object is there"
	refusal, refusalMessage   = v1.ReasonDestinationCreateFailed, "no"
)

func yes(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

func no(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionFalse, Reason: reason, Message: message}
}

var (
	resolved   = yes(v1.ReasonResolved, "found ConfigMap home/settings in preferred version v1; it may be copied")
	unwritten  = metav1.Condition{Status: metav1.ConditionUnknown, Reason: v1.ReasonSourceNotResolved, Message: "nothing is written, because the source cannot be used; SourceResolved says why, and what became of the copies"}
	unresolved = metav1.Condition{Status: metav1.ConditionUnknown, Reason: v1.ReasonSourceNotResolved, Message: "the rule is being deleted; DestinationWritten says what it waits for"}
)

func TestConditionsOfAReconcile(t *testing.T) {
	inStep := func(namespace string) destination.Outcome { return fine(namespace, destination.Unchanged) }
	tests := map[string]struct {
		resolved policy.Problem
		outcomes []destination.Outcome
		removals []destination.Outcome
		failure  error
		want     [3]metav1.Condition
	}{
		"all is well": {
			outcomes: many("abc", inStep),
			want:     [3]metav1.Condition{resolved, yes(v1.ReasonProjected, "all 3 copies are in sync with their source"), yes(v1.ReasonProjected, "all 3 copies are in sync with their source")},
		},
		"one copy": {
			outcomes: many("a", inStep),
			want:     [3]metav1.Condition{resolved, yes(v1.ReasonProjected, "the copy is in sync with its source"), yes(v1.ReasonProjected, "the copy is in sync with its source")},
		},
		"no copy is wanted": {
			outcomes: []destination.Outcome{},
			want:     [3]metav1.Condition{resolved, yes(v1.ReasonProjected, "no copy is wanted"), yes(v1.ReasonProjected, "no copy is wanted")},
		},
		"the source is withdrawn": {
			resolved: policy.Problem{Reason: v1.ReasonSourceOptedOut, Message: "vetoed"},
			outcomes: []destination.Outcome{},
			removals: many("ab", func(ns string) destination.Outcome { return fine(ns, destination.Deleted) }),
			want:     [3]metav1.Condition{no(v1.ReasonSourceOptedOut, "vetoed; 2 copies were removed"), unwritten, no(v1.ReasonSourceOptedOut, "vetoed; 2 copies were removed")},
		},
		"the source is withdrawn, and a copy cannot go": {
			resolved: policy.Problem{Reason: v1.ReasonSourceDeleted, Message: "gone"},
			removals: []destination.Outcome{failed("a", v1.ReasonDestinationWriteFailed, "no")},
			want: [3]metav1.Condition{
				no(v1.ReasonSourceDeleted, "gone; some copies could not be removed"), no(v1.ReasonDestinationWriteFailed, "ConfigMap a/settings: no"),
				no(v1.ReasonSourceDeleted, "gone; some copies could not be removed"),
			},
		},
		"the source is not known": {
			failure: plan.Retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, fmt.Errorf("read: %w", context.DeadlineExceeded)),
			want: [3]metav1.Condition{
				no(v1.ReasonSourceFetchFailed, "the API server did not answer in time; there are no copies"), unwritten,
				no(v1.ReasonSourceFetchFailed, "the API server did not answer in time; there are no copies"),
			},
		},
		"the kind is refused": {
			failure: terminal("no such kind", 0),
			want: [3]metav1.Condition{
				no(v1.ReasonSourceResolutionFailed, "no such kind; there are no copies"), unwritten,
				no(v1.ReasonSourceResolutionFailed, "no such kind; there are no copies"),
			},
		},
		"the copies are not known": {
			failure: fmt.Errorf("wrapped: %w", plan.Retryable(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, context.Canceled)),
			want:    [3]metav1.Condition{resolved, no(v1.ReasonDestinationFetchFailed, "context canceled"), no(v1.ReasonDestinationFetchFailed, "context canceled")},
		},
		"the only copy fails": {
			outcomes: []destination.Outcome{failed("a", conflict, conflictMessage)},
			want:     [3]metav1.Condition{resolved, no(conflict, "ConfigMap a/settings: "+conflictMessage), no(conflict, "ConfigMap a/settings: "+conflictMessage)},
		},
		"all failures share a reason": {
			outcomes: []destination.Outcome{inStep("a"), failed("b", conflict, "x"), failed("c", conflict, "y")},
			want: [3]metav1.Condition{
				resolved, no(conflict, "2 of 3 copies failed: ConfigMap b/settings: x; status.failures has the others"), no(conflict, "2 of 3 copies failed: ConfigMap b/settings: x; status.failures has the others"),
			},
		},
		"failures differ": {
			outcomes: []destination.Outcome{failed("a", conflict, "x"), failed("b", refusal, "y")},
			removals: []destination.Outcome{failed("c", v1.ReasonDestinationWriteFailed, "z"), fine("d", destination.Deleted)},
			want: [3]metav1.Condition{
				resolved,
				no(v1.ReasonDestinationWriteFailed, "2 of 2 copies failed and 1 of 2 deletions failed: ConfigMap a/settings: x; status.failures has the others; ConfigMap c/settings: z"),
				no(v1.ReasonDestinationWriteFailed, "2 of 2 copies failed and 1 of 2 deletions failed: ConfigMap a/settings: x; status.failures has the others; ConfigMap c/settings: z"),
			},
		},
		"many deletions fail": {
			removals: many("abcde", func(ns string) destination.Outcome { return failed(ns, v1.ReasonDestinationWriteFailed, "x") }),
			want: [3]metav1.Condition{
				resolved,
				no(v1.ReasonDestinationWriteFailed, "5 of 5 deletions failed: ConfigMap a/settings: x; ConfigMap b/settings: x; ConfigMap c/settings: x; and 2 more"),
				no(v1.ReasonDestinationWriteFailed, "5 of 5 deletions failed: ConfigMap a/settings: x; ConfigMap b/settings: x; ConfigMap c/settings: x; and 2 more"),
			},
		},
		"many fail": {
			outcomes: many("abcdefg", func(ns string) destination.Outcome { return failed(ns, conflict, "x") }),
			want: [3]metav1.Condition{
				resolved,
				no(conflict, "7 of 7 copies failed: ConfigMap a/settings: x; status.failures has the others"),
				no(conflict, "7 of 7 copies failed: ConfigMap a/settings: x; status.failures has the others"),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newFixture(t).scope(newRule())
			p.named().problem, p.local.outcomes, p.local.removals = test.resolved, test.outcomes, test.removals
			for i, conditionType := range []string{v1.ConditionSourceResolved, v1.ConditionDestinationWritten, v1.ConditionReady} {
				test.want[i].Type = conditionType
			}
			told := p.conditions(test.failure)
			assert.Equal(t, test.want, [3]metav1.Condition{told.resolved, told.written, told.ready})
		})
	}
}

func TestConditionsOfARuleThatIsBeingDeleted(t *testing.T) {
	rule := newRule()
	rule.DeletionTimestamp = &metav1.Time{Time: now}
	p := newFixture(t).scope(rule)
	told := p.conditions(plan.Retryable(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, context.Canceled))
	unresolved.Type = v1.ConditionSourceResolved
	assert.Equal(t, unresolved, told.resolved)
	assert.Equal(t, v1.ReasonDestinationFetchFailed, told.written.Reason)
	assert.Equal(t, v1.ReasonDestinationFetchFailed, told.ready.Reason, "it says what keeps the rule")
}

func TestMessagesAreBounded(t *testing.T) {
	p := newFixture(t).scope(newRule())
	long := strings.Repeat("x", 403) // what is told of one copy is bounded
	for i := range 5000 {
		p.local.outcomes = append(p.local.outcomes, failed(fmt.Sprintf("%063d", i), conflict, long))
	}
	told := p.conditions(nil)
	assert.Less(t, len(told.ready.Message), 2000)
	assert.True(t, strings.HasPrefix(told.ready.Message, "5000 of 5000 copies failed: ConfigMap "+strings.Repeat("0", 63)+"/settings: "))
	assert.True(t, strings.HasSuffix(told.ready.Message, "; status.failures has the others"))
}

func TestStatusOfAReconcile(t *testing.T) {
	b, rule := newFixture(t), newRule()
	p := b.scope(rule)
	p.local.outcomes = []destination.Outcome{
		{Place: in("a"), Action: destination.Created, Fields: 42},
		failed("b", conflict, "x"),
	}
	p.setConditions(p.conditions(nil))

	assert.EqualValues(t, 3, rule.Status.ObservedGeneration)
	assert.Equal(t, "settings", rule.Status.DestinationName)
	assert.Equal(t, "000000000000002a", rule.Status.AppliedFields)
	require.Len(t, rule.Status.Conditions, 4)
	for _, condition := range rule.Status.Conditions {
		assert.EqualValues(t, 3, condition.ObservedGeneration, condition.Type)
		assert.False(t, condition.LastTransitionTime.IsZero(), condition.Type)
	}

	t.Run("the same again changes nothing", func(t *testing.T) {
		before := rule.DeepCopy()
		again := b.scope(rule)
		again.local.outcomes = []destination.Outcome{fine("a", destination.Unchanged), failed("b", conflict, "x")}
		again.setConditions(again.conditions(nil))
		assert.Equal(t, before.Status, rule.Status)
	})
	t.Run("failure keeps what is known of copies", func(t *testing.T) {
		again := b.scope(rule)
		again.setConditions(again.conditions(plan.Retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, context.Canceled)))
		assert.Equal(t, "settings", rule.Status.DestinationName)
		assert.Equal(t, "000000000000002a", rule.Status.AppliedFields)
		assert.True(t, meta.IsStatusConditionFalse(rule.Status.Conditions, v1.ConditionReady))
	})
	t.Run("a copy that cannot go is still there", func(t *testing.T) {
		again := b.scope(rule)
		again.named().problem = policy.Problem{Reason: v1.ReasonSourceDeleted, Message: "gone"}
		again.local.removals = []destination.Outcome{failed("a", v1.ReasonDestinationWriteFailed, "no")}
		again.setConditions(again.conditions(nil))
		assert.Equal(t, "settings", rule.Status.DestinationName)
	})
	t.Run("a source that is withdrawn leaves no copies", func(t *testing.T) {
		again := b.scope(rule)
		again.named().problem, again.local.outcomes = policy.Problem{Reason: v1.ReasonSourceDeleted, Message: "gone"}, []destination.Outcome{}
		again.setConditions(again.conditions(nil))
		assert.Equal(t, "settings", rule.Status.DestinationName, "whether there are copies is not known")
		again.local.isPruned = true
		again.setConditions(again.conditions(nil))
		assert.Empty(t, rule.Status.DestinationName)
	})
}

func TestRuleWhoseEarlierCopiesAreNotKnownIsNotReady(t *testing.T) {
	b := newFixture(t)
	p := b.scope(newRule())
	p.local.outcomes, p.local.inventoryErr = many("ab", func(ns string) destination.Outcome { return fine(ns, destination.Created) }), assert.AnError
	told := p.conditions(p.finishPrune(t.Context()))
	assert.Equal(t, metav1.ConditionFalse, told.ready.Status)
	assert.Equal(t, v1.ReasonDestinationFetchFailed, told.ready.Reason)
	assert.Equal(t, "the existing copies cannot be listed; copies are kept; the operator retries ("+assert.AnError.Error()+")", told.ready.Message)

	unproven := &source.UnprovenError{Kind: schema.GroupKind{Group: "example.com", Kind: "Widget"}, Cause: assert.AnError}
	told = p.conditions(p.unlisted(errors.Join(unproven)))
	assert.Equal(t, "the API server does not serve the kind Widget.example.com, and it is not known whether copies of it exist; copies are kept; "+
		"the operator retries; grant it list on customresourcedefinitions and apiservices if it lacks that ("+assert.AnError.Error()+")", told.ready.Message)

	p.local.outcomes[0] = failed("a", conflict, "x")
	p.local.outcomes[0].Err = assert.AnError
	assert.Equal(t, conflict, p.conditions(p.finishPrune(t.Context())).ready.Reason, "a copy that failed is told first")
}

func TestRuleWithoutTargetsSaysSo(t *testing.T) {
	b, rule := newFixture(t), newRule()
	p := b.scope(rule)
	p.local.outcomes, p.local.unmatched = []destination.Outcome{}, "namespaceSelector matches none of 3 namespaces"
	told := p.conditions(nil)
	want := yes(v1.ReasonNoMatchingNamespaces, "namespaceSelector matches none of 3 namespaces")
	want.Type = v1.ConditionDestinationWritten
	assert.Equal(t, want, told.written)
	want.Type = v1.ConditionReady
	assert.Equal(t, want, told.ready)
	p.setConditions(told)

	count := "4"
	b.adapter.Unmatched = func(context.Context, *v1.ClusterProjection) string { return count }
	assert.Equal(t, "namespaceSelector matches none of 3 namespaces", b.scope(rule).describeUnmatched(t.Context()), "nothing is written for a namespace")
	rule.Generation++
	assert.Equal(t, "4", b.scope(rule).describeUnmatched(t.Context()))
}

func TestWhatBecameOfTheCopiesIsRepeated(t *testing.T) {
	deleted := func(ns string) destination.Outcome { return fine(ns, destination.Deleted) }
	pending := destination.Outcome{Place: in("z"), Pending: true}
	optedOut := policy.Problem{Reason: v1.ReasonSourceOptedOut, Message: "vetoed", Advice: "ask"}
	tests := map[string]struct {
		removals [][]destination.Outcome // of one reconcile after the other
		want     []string
	}{
		"none":          {[][]destination.Outcome{nil, nil}, []string{noCopies, noCopies}},
		"one":           {[][]destination.Outcome{many("a", deleted), nil}, []string{"1 copy was removed", "1 copy was removed"}},
		"several":       {[][]destination.Outcome{many("abc", deleted), nil}, []string{"3 copies were removed", "3 copies were removed"}},
		"one after all": {[][]destination.Outcome{many("abc", deleted), many("d", deleted)}, []string{"3 copies were removed", "1 copy was removed"}},
		"step by step":  {[][]destination.Outcome{append(many("ab", deleted), pending), many("c", deleted), nil}, []string{removing, copiesRemoved, copiesRemoved}},
		"with a failure": {
			[][]destination.Outcome{append(many("ab", deleted), failed("c", refusal, "no")), many("c", deleted), nil},
			[]string{removalsFailed, copiesRemoved, copiesRemoved},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b, rule := newFixture(t), newRule()
			for i, removals := range test.removals {
				p := b.scope(rule)
				p.named().problem, p.local.outcomes, p.local.removals = optedOut, []destination.Outcome{}, removals
				told := p.conditions(nil)
				assert.Equal(t, "vetoed; "+test.want[i]+"; ask", told.resolved.Message)
				p.setConditions(told)
			}
			p := b.scope(rule)
			p.named().problem = policy.Problem{Reason: v1.ReasonSourceDeleted, Message: "gone"}
			assert.Equal(t, "gone; "+noCopies, p.conditions(nil).resolved.Message, "it belongs to another problem")
		})
	}
}

func TestCopiesAreKeptWhileTheSourceIsNotKnown(t *testing.T) {
	b, rule := newFixture(t), newRule()
	rule.Status.DestinationName = "settings"
	told := b.scope(rule).conditions(plan.Failed(v1.ConditionSourceResolved,
		policy.Problem{Reason: v1.ReasonSourceFetchFailed, Message: "it cannot be read"}, assert.AnError))
	assert.Equal(t, "it cannot be read; copies are kept; the operator retries ("+assert.AnError.Error()+")", told.resolved.Message)
}
