package projector

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
)

var (
	errForbidden   = apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "settings", errors.New("no"))
	errUnavailable = apierrors.NewServiceUnavailable("later")
)

// refusedBy is a copy whose write the API server answered so.
func refusedBy(err error) destination.Outcome {
	return destination.Outcome{Place: in("a"), Reason: refusal, Message: refusalMessage, Err: err}
}

func TestStalled(t *testing.T) {
	incomplete := &plan.Error{Condition: v1.ConditionSourceResolved, Transient: true, Problem: policy.Problem{
		Reason: v1.ReasonSourceIncomplete, Message: "no key yet",
	}}
	waiting := failed("a", refusal, `the namespace "a" does not exist`)
	tests := map[string]struct {
		resolved policy.Problem
		outcomes []destination.Outcome
		removals []destination.Outcome
		failure  error
		want     bool
	}{
		"all is well":                                {outcomes: []destination.Outcome{fine("a", destination.Created)}},
		"a veto":                                     {resolved: policy.Problem{Reason: v1.ReasonSourceOptedOut, Message: "vetoed"}, want: true},
		"no consent":                                 {resolved: policy.Problem{Reason: v1.ReasonSourceNotProjectable, Message: "no"}, want: true},
		"the source is gone":                         {resolved: policy.Problem{Reason: v1.ReasonSourceDeleted, Message: "gone"}, want: true},
		"the source is yet to come":                  {resolved: policy.Problem{Reason: v1.ReasonSourceNotFound, Message: "not yet"}},
		"the kind is refused":                        {failure: terminal("no such kind", 0), want: true},
		"the kind may be served soon":                {failure: &plan.Error{Condition: v1.ConditionSourceResolved, Problem: policy.Problem{Reason: refusal, Message: "x"}, Transient: true}},
		"the source lacks a key":                     {failure: incomplete},
		"no copy can be made of the source":          {failure: terminal("two keys, one name", 0), want: true},
		"the source must not be read":                {failure: plan.Retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, errForbidden), want: true},
		"the API server is busy":                     {failure: plan.Retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, errUnavailable)},
		"no answer":                                  {failure: plan.Retryable(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, context.DeadlineExceeded)},
		"the owner permits no copy there":            {outcomes: []destination.Outcome{failed("a", v1.ReasonDestinationNotPermitted, "no")}, want: true},
		"the rule is suspended":                      {outcomes: []destination.Outcome{wouldBe("a", destination.Created)}, want: true},
		"the rule is suspended, and a copy is to go": {removals: []destination.Outcome{wouldBe("a", destination.Deleted)}, want: true},
		"a foreign object is there":                  {outcomes: []destination.Outcome{failed("a", conflict, conflictMessage)}, want: true},
		"a foreign object is there and more":         {outcomes: []destination.Outcome{waiting, failed("b", conflict, conflictMessage)}, want: true},
		"the namespace is yet to come":               {outcomes: []destination.Outcome{waiting}},
		"the copy is refused":                        {outcomes: []destination.Outcome{refusedBy(errForbidden)}, failure: errForbidden, want: true},
		"the copy finds no open ear":                 {outcomes: []destination.Outcome{refusedBy(errUnavailable)}, failure: errUnavailable},
		"an old copy must not be removed":            {removals: []destination.Outcome{refusedBy(errForbidden)}, failure: errForbidden, want: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rule := newRule()
			p := newFixture(t).scope(rule)
			p.named().problem, p.local.outcomes, p.local.removals = test.resolved, test.outcomes, test.removals
			p.setConditions(p.conditions(test.failure))
			condition := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionStalled)
			if !test.want {
				assert.Nil(t, condition)
				return
			}
			require.NotNil(t, condition)
			ready := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady)
			assert.Equal(t, metav1.ConditionTrue, condition.Status)
			assert.Equal(t, [2]string{ready.Reason, ready.Message}, [2]string{condition.Reason, condition.Message})
			assert.Equal(t, rule.Generation, condition.ObservedGeneration)
		})
	}
}

func TestStalledGoesWithItsReason(t *testing.T) {
	b, rule := newFixture(t), newRule()
	p := b.scope(rule)
	p.local.outcomes = []destination.Outcome{failed("a", conflict, conflictMessage)}
	p.setConditions(p.conditions(nil))
	require.True(t, meta.IsStatusConditionTrue(rule.Status.Conditions, v1.ConditionStalled))

	p = b.scope(rule)
	p.local.outcomes = []destination.Outcome{fine("a", destination.Created)}
	p.setConditions(p.conditions(nil))
	assert.Nil(t, meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionStalled))
	assert.Len(t, rule.Status.Conditions, 3)
}
