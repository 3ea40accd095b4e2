package projector

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/watch"
)

var ruleKey = types.NamespacedName{Name: "rule"}

func TestWhatTheQueueIsToDo(t *testing.T) {
	boom := errors.New("boom")
	tests := map[string]struct {
		failure error
		result  reconcile.Result
		err     error
		again   bool // the causes are not dealt with
	}{
		"success":                          {nil, reconcile.Result{}, nil, false},
		"a verdict":                        {terminal("no", 0), reconcile.Result{}, nil, false},
		"a verdict that is looked at":      {terminal("no", time.Minute), reconcile.Result{RequeueAfter: time.Minute}, nil, false},
		"an error":                         {boom, reconcile.Result{}, boom, true},
		"something unknown":                {plan.Retryable("", "", boom), reconcile.Result{}, boom, true},
		"something unknown among failures": {errors.Join(boom, plan.Retryable("", "", context.Canceled)), reconcile.Result{}, context.Canceled, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.remember(ruleKey, watch.SourceChanged, now)
			result, err := b.scope(newRule()).queueResult(test.failure)
			assert.Equal(t, test.result, result)
			require.ErrorIs(t, err, test.err)
			assert.Equal(t, test.again, len(b.takeTriggers()) == 1)
		})
	}
}

func TestReconcileThatFoundNothingOutSaysNothing(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := map[string]struct {
		base    context.Context //nolint:containedctx // a row of the table
		failure error
		result  reconcile.Result
		err     error
	}{
		"the rule has changed": {t.Context(), fmt.Errorf("claim: %w", errOutdated), reconcile.Result{RequeueAfter: cacheDelay}, nil},
		"the operator ends":    {ended, plan.Retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, context.Canceled), reconcile.Result{}, context.Canceled},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b, rule := newFixture(t), newRule()
			b.remember(ruleKey, watch.SourceChanged, now)
			s := b.scope(rule)
			s.run.base = test.base // that of the reconcile may end a moment later
			result, err := s.finish(t.Context(), test.failure)
			require.ErrorIs(t, err, test.err)
			assert.Equal(t, test.result, result)
			assert.Equal(t, newRule().Status, rule.Status)
			assert.Empty(t, b.recorder.take())
			assert.Len(t, b.takeTriggers(), 1, "the next pass deals with them")
		})
	}
}

func TestReconcileThatRunsOutOfTimeSaysWhatItFound(t *testing.T) {
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	b, rule := newFixture(t), newRule()
	var written, inVain int
	b.hub.Client = statusOnly{err: assert.AnError, written: &written, inVain: &inVain}
	p := b.scope(rule)
	p.local.outcomes = []destination.Outcome{failed("a", refusal, "no answer"), fine("b", destination.Created)}
	_, err := p.finish(late, context.DeadlineExceeded)
	require.ErrorIs(t, err, context.DeadlineExceeded, "it is tried again")
	assert.Equal(t, 1, written)
	assert.Zero(t, inVain, "there is time for the status although the pass has none left")
	ready := meta.FindStatusCondition(p.rule.Status.Conditions, v1.ConditionReady)
	require.NotNil(t, ready)
	assert.Equal(t, "1 of 2 copies failed: ConfigMap a/settings: no answer", ready.Message)
}

func TestFailureIsReportedOnceTheStatusSaysSo(t *testing.T) {
	for name, told := range map[string]bool{"the status cannot be written": false, "the status is written": true} {
		t.Run(name, func(t *testing.T) {
			b, rule := newFixture(t), newRule()
			gone := apierrors.NewNotFound(schema.GroupResource{Group: "projection.sh", Resource: "clusterprojections"}, rule.Name)
			b.hub.Client = statusOnly{err: gone} // nobody to tell, so it counts as told
			if !told {
				b.hub.Client = statusOnly{err: assert.AnError}
			}
			p := b.scope(rule)
			p.local.outcomes = []destination.Outcome{failed("a", conflict, "x")}
			_, err := p.finish(t.Context(), nil)
			assert.Equal(t, told, err == nil)
			assert.Equal(t, told, len(b.recorder.take()) == 1)
		})
	}
}

func TestFailuresOfManyCopiesAreBounded(t *testing.T) {
	require.NoError(t, joinErrors(many("abc", func(ns string) destination.Outcome { return failed(ns, conflict, "a verdict") })))

	boom := errors.New("boom")
	outcomes := many("abcdefg", func(ns string) destination.Outcome {
		outcome := failed(ns, refusal, "no")
		outcome.Err = fmt.Errorf("%s: %w", ns, boom)
		return outcome
	})
	require.EqualError(t, joinErrors(outcomes[:3]), "a: boom\nb: boom\nc: boom")
	err := joinErrors(outcomes)
	require.ErrorIs(t, err, boom)
	assert.EqualError(t, err, "a: boom\nb: boom\nc: boom\nand 4 more copies failed")
}

func TestErrorsThatEndAReconcile(t *testing.T) {
	boom := errors.New("boom\nwith a second line")
	err := plan.Retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, boom)
	require.ErrorIs(t, err, boom)
	require.EqualError(t, err, "SourceFetchFailed: boom with a second line")
	assert.NoError(t, errors.Unwrap(terminal("no", 0)))
}
