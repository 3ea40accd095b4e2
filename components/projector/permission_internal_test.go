package projector

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

// labelled is a cache that holds the rule, and namespaces with these labels.
type labelled struct {
	behind
	namespaces map[string]map[string]string
}

func (l *labelled) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	namespace, ok := into.(*metav1.PartialObjectMetadata)
	if !ok {
		return l.behind.Get(ctx, key, into, options...)
	}
	namespace.Labels = l.namespaces[key.Name]
	return nil
}

// TestCopyIsWithdrawnWithThePermission changes what the owner permits, or the labels of a namespace, while copies are being written.
func TestCopyIsWithdrawnWithThePermission(t *testing.T) {
	const shop = "namespaces: team=shop"
	tests := map[string]struct {
		read, latest string
		labels       map[string]string
		withdrawn    bool
	}{
		"permitted":                   {shop, shop, map[string]string{"team": "shop"}, false},
		"the label is gone":           {shop, shop, nil, true},
		"another label is asked for":  {shop, "namespaces: team=other", map[string]string{"team": "shop"}, true},
		"the label is asked for now":  {"true", shop, nil, true},
		"all are permitted now":       {shop, "true", nil, false},
		"the selector is malformed":   {shop, "namespaces: team in", map[string]string{"team": "shop"}, true},
		"the annotation is gone":      {shop, "", map[string]string{"team": "shop"}, true},
		"the owner opts out entirely": {shop, "false", map[string]string{"team": "shop"}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, rule := newFixture(t), newRule()
			events := apiwatch.NewRaceFreeFake()
			f.member.Sources = watch.NewSources(watch.NewObjects(t.Context(), metadataWith(events)), func(watch.RuleKey, watch.Trigger, time.Time) {})
			f.planner.Mode = policy.Allowlist
			cache := &labelled{behind{cached: rule}, map[string]map[string]string{"a": {"team": "shop"}}}
			f.hub.Client = cache
			f.planner.NamespaceLabels = func(ctx context.Context, name string) (map[string]string, bool, error) {
				return watch.NamespaceLabels(ctx, cache, name)
			}
			p := f.scope(rule)
			p.named().source = &unstructured.Unstructured{}
			p.named().source.SetResourceVersion("7")
			p.named().source.SetAnnotations(map[string]string{v1.AnnotationProjectable: test.read})
			var err error
			p.named().permission, err = policy.PermissionOf(p.named().source.GetAnnotations())
			require.NoError(t, err)
			require.NoError(t, f.member.Sources.Watch(t.Context(), p.key, p.kind.GroupVersionResource(), p.named().sourceKey()))
			assert.False(t, p.local.withdrawn(t.Context(), p.named())("a"), "nothing has changed yet")

			cache.namespaces["a"] = test.labels
			events.Action(apiwatch.Modified, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
				Namespace: p.named().sourceKey().Namespace, Name: p.named().sourceKey().Name, ResourceVersion: "8",
				Annotations: map[string]string{v1.AnnotationProjectable: test.latest},
			}})
			require.Eventually(t, func() bool {
				return f.member.Sources.LastEvent(p.kind.GroupVersionResource(), p.named().sourceKey()).ResourceVersion == "8"
			}, time.Minute, time.Millisecond)
			assert.Equal(t, test.withdrawn, p.local.withdrawn(t.Context(), p.named())("a"))
		})
	}
}

func TestWhetherThereIsNoCopyThatIsPermitted(t *testing.T) {
	refused := failed("a", v1.ReasonDestinationNotPermitted, "no")
	for name, test := range map[string]struct {
		outcomes, removals []destination.Outcome
		none               bool
	}{
		"refused":                 {[]destination.Outcome{refused}, nil, true},
		"refused, and deleted":    {[]destination.Outcome{refused}, []destination.Outcome{fine("a", destination.Deleted)}, true},
		"one of two":              {[]destination.Outcome{refused, fine("b", destination.Unchanged)}, nil, false},
		"not deleted":             {[]destination.Outcome{refused}, []destination.Outcome{failed("a", v1.ReasonDestinationWriteFailed, "no")}, false},
		"not deleted yet":         {[]destination.Outcome{refused}, []destination.Outcome{{Place: in("a"), Pending: true}}, false},
		"another failure":         {[]destination.Outcome{failed("a", v1.ReasonDestinationConflict, "no")}, nil, false},
		"no target":               {[]destination.Outcome{}, nil, false},
		"not come to the targets": {nil, nil, false},
	} {
		p := newFixture(t).scope(newRule())
		p.local.outcomes, p.local.removals = test.outcomes, test.removals
		assert.False(t, p.local.hasNone(), "%s: the reconcile has not looked for copies", name)
		p.local.isPruned = true
		assert.Equal(t, test.none, p.local.hasNone(), name)
	}
}

// TestRuleThatIsNotTriedAgainIsTriedForWhatIsRevoked has a rule that cannot be carried out, and a copy that cannot be deleted although the
// owner of the source does not permit it any more.
func TestRuleThatIsNotTriedAgainIsTriedForWhatIsRevoked(t *testing.T) {
	invalid := &plan.Error{Condition: v1.ConditionDestinationWritten, Problem: policy.Problem{Reason: v1.ReasonRuleInvalid, Message: "no"}}
	later := plan.Retryable(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, errUnavailable)
	p := newFixture(t).scope(newRule())
	assert.Equal(t, error(invalid), p.withRevoked(t.Context(), invalid), "nothing is revoked")

	p.local.revokeErr = errUnavailable
	var unlisted *plan.Error
	require.ErrorAs(t, p.withRevoked(t.Context(), invalid), &unlisted)
	assert.True(t, unlisted.Retry)
	p.local.removals = []destination.Outcome{refusedBy(errForbidden)}
	require.ErrorIs(t, p.withRevoked(t.Context(), invalid), errForbidden)
	assert.Equal(t, later, p.withRevoked(t.Context(), later), "it is tried again anyway")
	result, err := p.queueResult(p.withRevoked(t.Context(), invalid))
	require.ErrorIs(t, err, errForbidden)
	assert.Zero(t, result)

	p = newFixture(t).scope(newRule())
	require.NoError(t, p.withRevoked(t.Context(), nil))
	p.local.outcomes, p.local.revokeErr = []destination.Outcome{failed("a", conflict, conflictMessage)}, errUnavailable
	require.ErrorAs(t, p.withRevoked(t.Context(), nil), &unlisted, "a conflict alone waits for its end")
	_, err = p.queueResult(p.withRevoked(t.Context(), nil))
	require.Error(t, err)
}

func TestCopyThatIsNotDeletedYetIsNotReportedAsNotPermitted(t *testing.T) {
	p := newFixture(t).scope(newRule())
	refused := many("abc", func(namespace string) destination.Outcome {
		return failed(namespace, v1.ReasonDestinationNotPermitted, "no")
	})
	p.local.outcomes = refused
	p.local.removals = []destination.Outcome{{Place: in("b"), Pending: true}, fine("c", destination.Deleted)}
	p.local.awaitRevoked()
	assert.Equal(t, destination.Outcome{Place: in("b"), Pending: true}, p.local.outcomes[1])
	assert.True(t, isNotPermitted(p.local.outcomes[0]) && isNotPermitted(p.local.outcomes[2]))
	assert.Equal(t, []destination.Outcome{fine("c", destination.Deleted)}, p.local.removals, "one copy is counted once")

	p = newFixture(t).scope(newRule())
	p.local.outcomes, p.local.removals = refused[:1:1], []destination.Outcome{{Place: in("a"), Pending: true}}
	p.local.awaitRevoked()
	reported := p.conditions(nil)
	assert.Equal(t, v1.ReasonDestinationWriteInProgress, reported.written.Reason)
	assert.False(t, reported.stalled)
}
