package projector

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/watch"
)

// pending is a copy whose request has not ended.
func pending(namespace string) destination.Outcome {
	return destination.Outcome{Place: in(namespace), Pending: true}
}

// unread takes every status for one of a rule that has just gone.
var unread = statusOnly{err: apierrors.NewNotFound(schema.GroupResource{Group: "projection.sh", Resource: "clusterprojections"}, "rule")}

func TestCopyThatIsPendingIsNeitherInSyncNorFailed(t *testing.T) {
	failing := failed("b", refusal, "no")
	failing.Pending = true
	tests := map[string]struct {
		outcomes, removals []destination.Outcome
		reason, message    string
	}{
		"one write": {
			[]destination.Outcome{fine("a", destination.Created), pending("b")}, nil, v1.ReasonDestinationWriteInProgress,
			"the copy b/settings is not written or deleted yet; requests to its namespace take long, perhaps because of a slow admission webhook",
		},
		"several": {
			[]destination.Outcome{fine("a", destination.Created), pending("b")}, []destination.Outcome{pending("c")}, v1.ReasonDestinationWriteInProgress,
			"2 of 3 copies are not written or deleted yet, the first is b/settings; requests to their namespaces take long, perhaps because of a slow admission webhook",
		},
		"another failed": {
			[]destination.Outcome{failed("a", refusal, "no"), pending("b")}, nil, refusal, "1 of 2 copies failed: ConfigMap a/settings: no",
		},
		"it failed before": {
			[]destination.Outcome{fine("a", ""), failing}, nil, refusal, "1 of 2 copies failed: ConfigMap b/settings: no",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.hub.Client = unread
			b.remember(ruleKey, watch.SourceChanged, now)
			p := b.scope(newRule())
			p.local.outcomes, p.local.removals = test.outcomes, test.removals
			result, err := p.finish(t.Context(), nil)
			require.NoError(t, err)
			assert.Equal(t, reconcile.Result{RequeueAfter: b.config.Requeue}, result)
			ready := meta.FindStatusCondition(p.rule.Status.Conditions, v1.ConditionReady)
			require.NotNil(t, ready)
			assert.Equal(t, metav1.ConditionFalse, ready.Status)
			assert.Equal(t, test.reason, ready.Reason)
			assert.Equal(t, test.message, ready.Message)
			assert.Nil(t, meta.FindStatusCondition(p.rule.Status.Conditions, v1.ConditionStalled))
			assert.Len(t, b.takeTriggers(), 1, "the next reconcile deals with them")
		})
	}
}

func TestRuleIsNotLetGoWhileARequestIsUnderWay(t *testing.T) {
	b := newFixture(t)
	b.hub.Client = unread
	rule := newRule()
	rule.DeletionTimestamp = &metav1.Time{Time: now}
	p := b.scope(rule)
	p.local.underWay = map[lane.Target]struct{}{{Resource: schema.GroupResource{Resource: "secrets"}, NamespacedName: in("a").NamespacedName}: {}}
	assert.True(t, p.local.isPending())
	_, err := p.finish(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, v1.ReasonDestinationWriteInProgress, meta.FindStatusCondition(p.rule.Status.Conditions, v1.ConditionDestinationWritten).Reason)
}

func TestReconcileThatHadNoTimeGoesOnAtOnce(t *testing.T) {
	b := newFixture(t)
	b.hub.Client = unread
	p := b.scope(newRule())
	p.local.outcomes = []destination.Outcome{pending("a")}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	p.run.active = late
	result, err := p.finish(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, reconcile.Result{RequeueAfter: cacheDelay}, result)
}
