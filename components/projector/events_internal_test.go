package projector

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

func TestEventsSayWhatAReconcileDid(t *testing.T) {
	made := func(action destination.Action) func(string) destination.Outcome {
		return func(namespace string) destination.Outcome { return fine(namespace, action) }
	}
	const normal, warning = "Normal", "Warning"
	tests := map[string]struct {
		arrange func(*scope[*v1.ClusterProjection])
		events  []recorded
	}{
		"nothing":    {func(p *scope[*v1.ClusterProjection]) { p.local.outcomes = many("abc", made(destination.Unchanged)) }, nil},
		"one create": {func(p *scope[*v1.ClusterProjection]) { p.local.outcomes = many("a", made(destination.Created)) }, []recorded{{normal, "Projected", "Write", "created the copy a/settings", "ConfigMap a/settings"}}},
		"a fan-out": {
			func(p *scope[*v1.ClusterProjection]) { p.local.outcomes = many("abcdefgh", made(destination.Created)) },
			[]recorded{{normal, "Projected", "Write", "created 8 copies", ""}},
		},
		"creates and updates": {
			func(p *scope[*v1.ClusterProjection]) {
				p.local.outcomes = append(many("ab", made(destination.Created)), many("c", made(destination.Updated))...)
			},
			[]recorded{{normal, "Projected", "Write", "created 2 copies, updated the copy c/settings", ""}},
		},
		"updates": {
			func(p *scope[*v1.ClusterProjection]) { p.local.outcomes = many("abc", made(destination.Updated)) },
			[]recorded{{normal, "Updated", "Write", "updated 3 copies", ""}},
		},
		"stale copies": {
			func(p *scope[*v1.ClusterProjection]) { p.local.removals = many("ab", made(destination.Deleted)) },
			[]recorded{{normal, "StaleDestinationDeleted", "Delete", "deleted 2 copies", ""}},
		},
		"a copy that was handed over": {
			func(p *scope[*v1.ClusterProjection]) { p.local.removals = many("a", made(destination.LeftAlone)) },
			[]recorded{{normal, "DestinationLeftAlone", "Delete", "left alone the copy a/settings, because its ownership annotation was removed", "ConfigMap a/settings"}},
		},
		"a stale copy of an earlier kind": {
			func(p *scope[*v1.ClusterProjection]) {
				secrets := destination.CopySet{Resource: schema.GroupVersionResource{Version: "v1", Resource: "secrets"}}
				p.kind = source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}}
				p.copyKind = p.kind
				p.local.sets = []copySet{{CopySet: secrets, kind: source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}}}}
				stale := fine("a", destination.Deleted)
				stale.Place = secrets.Place(stale.Place.NamespacedName)
				p.local.removals = []destination.Outcome{stale}
			},
			[]recorded{{normal, "StaleDestinationDeleted", "Delete", "deleted the copy a/settings", "Secret a/settings"}},
		},
		"a source that is gone": {
			func(p *scope[*v1.ClusterProjection]) {
				p.named().problem, p.local.removals = policy.Problem{Reason: v1.ReasonSourceDeleted, Message: "it is gone"}, many("ab", made(destination.Deleted))
			},
			[]recorded{
				{normal, "StaleDestinationDeleted", "Delete", "deleted 2 copies, because it is gone", ""},
				{warning, "SourceDeleted", "Resolve", "it is gone; 2 copies were removed", ""},
			},
		},
		"a rule that is being deleted": {
			func(p *scope[*v1.ClusterProjection]) {
				p.rule.DeletionTimestamp, p.local.removals = &metav1.Time{Time: now}, many("ab", made(destination.Deleted))
			},
			[]recorded{{normal, "StaleDestinationDeleted", "Delete", "deleted 2 copies, because this rule is being deleted", ""}},
		},
		"failures, each by its place": {
			func(p *scope[*v1.ClusterProjection]) {
				p.local.outcomes = []destination.Outcome{failed("a", conflict, "x"), fine("b", destination.Unchanged), failed("c", refusal, "y")}
			},
			[]recorded{{warning, conflict, "Write", "ConfigMap a/settings: x", "ConfigMap a/settings"}, {warning, refusal, "Write", "ConfigMap c/settings: y", "ConfigMap c/settings"}},
		},
		"a failure that still stands, beside a new one": {
			func(p *scope[*v1.ClusterProjection]) {
				standing := failed("a", conflict, "x")
				standing.Repeated = true
				p.local.outcomes = []destination.Outcome{standing, failed("b", conflict, "x")}
			},
			[]recorded{{warning, conflict, "Write", "ConfigMap b/settings: x", "ConfigMap b/settings"}},
		},
		"a copy that was handed over and is still wanted": {
			func(p *scope[*v1.ClusterProjection]) {
				p.local.outcomes = []destination.Outcome{{Place: in("a"), Action: destination.LeftAlone, Reason: conflict, Message: "handed over"}}
			},
			[]recorded{{warning, "DestinationLeftAlone", "Write", "ConfigMap a/settings: handed over", "ConfigMap a/settings"}},
		},
		"many failures": {
			func(p *scope[*v1.ClusterProjection]) {
				p.local.outcomes = many("abcdefghijklmnopqrstuvwxyz", func(ns string) destination.Outcome { return failed(ns, conflict, "x") })
			},
			[]recorded{
				{warning, conflict, "Write", "ConfigMap a/settings: x", "ConfigMap a/settings"}, {warning, conflict, "Write", "ConfigMap b/settings: x", "ConfigMap b/settings"},
				{warning, conflict, "Write", "ConfigMap c/settings: x", "ConfigMap c/settings"}, {warning, conflict, "Write", "ConfigMap d/settings: x", "ConfigMap d/settings"},
				{warning, conflict, "Write", "ConfigMap e/settings: x", "ConfigMap e/settings"},
			},
		},
		"namespaces that come": {
			func(p *scope[*v1.ClusterProjection]) {
				p.triggers[watch.NamespaceAdded], p.local.outcomes = now, many("a", made(destination.Created))
			},
			nil,
		},
		"a namespace that comes when the source changes": {
			func(p *scope[*v1.ClusterProjection]) {
				p.triggers[watch.NamespaceAdded], p.triggers[watch.SourceChanged] = now, now
				p.local.outcomes = many("a", made(destination.Created))
			},
			[]recorded{{normal, "Projected", "Write", "created the copy a/settings", "ConfigMap a/settings"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.remember(ruleKey, watch.RuleChanged, now)
			p := b.scope(newRule())
			delete(p.triggers, watch.RuleChanged)
			test.arrange(p)
			p.emitWork()
			p.emitTrouble(p.conditions(nil))
			assert.Equal(t, test.events, b.recorder.take())
		})
	}
}

func TestWhatWasReportedIsNotEmittedAgain(t *testing.T) {
	b, rule := newFixture(t), newRule()
	emitted := func(resolved policy.Problem, outcomes ...destination.Outcome) []recorded {
		p := b.scope(rule)
		p.named().problem, p.local.outcomes = resolved, outcomes
		r := p.conditions(nil)
		p.emitWork()
		p.emitTrouble(r)
		p.setConditions(r)
		rule.Status.Failures = nil
		for _, outcome := range outcomes {
			rule.Status.Failures = append(rule.Status.Failures, v1.NamespaceFailure{Namespace: outcome.Place.Namespace, Reason: outcome.Reason, Message: outcome.Message})
		}
		return b.recorder.take()
	}
	gone := policy.Problem{Reason: v1.ReasonSourceDeleted, Message: "gone"}
	assert.Len(t, emitted(gone), 1)
	assert.Empty(t, emitted(gone), "said already")
	assert.Len(t, emitted(policy.Problem{Reason: v1.ReasonSourceOptedOut, Message: "vetoed"}), 1)

	assert.Len(t, emitted(policy.Problem{}, failed("a", conflict, "x")), 1)
	assert.Empty(t, emitted(policy.Problem{}, failed("a", conflict, "x")))
	again := emitted(policy.Problem{}, failed("a", conflict, "x"), failed("b", conflict, "y"))
	require.Len(t, again, 1, "only the new failure is news")
	assert.Equal(t, "ConfigMap b/settings: y", again[0].note)
	assert.Len(t, emitted(policy.Problem{}, failed("a", conflict, "z")), 1, "another message is news")

	b.adapter.Failures = nil // as a kind of rules with one target has it
	assert.Empty(t, emitted(policy.Problem{}, failed("a", conflict, "z")), "said already")
	assert.Len(t, emitted(policy.Problem{}, failed("a", conflict, "x")), 1)
	assert.Empty(t, emitted(policy.Problem{}, failed("a", conflict, "x")))
}

func TestNotesAreBounded(t *testing.T) {
	b := newFixture(t)
	p := b.scope(newRule())
	p.named().problem = policy.Problem{Reason: v1.ReasonSourceFetchFailed, Message: strings.Repeat("ä", 2000)}
	p.emitWork()
	p.emitTrouble(p.conditions(nil))
	events := b.recorder.take()
	require.Len(t, events, 1)
	assert.Less(t, len(events[0].note), 1024, "the API server refuses longer notes")
	assert.True(t, utf8.ValidString(events[0].note))
}
