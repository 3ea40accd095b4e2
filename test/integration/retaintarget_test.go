package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

func TestCopyOutlivesItsTarget(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	one, two := w.member(w.selected()), w.member(w.selected())
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  policy: {retain: [TargetDropped]}`)
	w.counts(rule, 2, 0)

	w.settles()
	requests := w.requestsOf(func() {
		w.label(one, `{"group":null}`)
		w.Exists(source, one, "settings", ordinary)
		w.counts(rule, 1, 0)
		w.settles()
	})
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Equal(t, 2, count(requests, "get", "configmaps"), "one for the reconcile, and one right before the hand-over: %v", requests)
	assert.Zero(t, count(requests, "delete", "configmaps"), "%v", requests)

	t.Run("and is in the way when the namespace comes back", func(t *testing.T) {
		w.label(one, w.selected())
		w.counts(rule, 1, 1)
		require.Len(t, rule.Status.Failures, 1)
		assert.Equal(t, v1.ReasonDestinationConflict, rule.Status.Failures[0].Reason)
		w.label(one, `{"group":null}`)
		w.counts(rule, 1, 0)
		w.Exists(source, one, "settings", ordinary)
	})
	t.Run("but nothing is retained in a namespace that is deleted", func(t *testing.T) {
		three := w.member(w.selected())
		w.counts(rule, 2, 0)
		requests := w.requestsOf(func() {
			w.Delete(w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + three + `}}`))
			w.counts(rule, 1, 0)
			w.settles()
		})
		assert.Zero(t, count(requests, "patch", "configmaps"), "%v", requests)
	})
	t.Run("but not the rule", func(t *testing.T) {
		w.Delete(rule)
		w.Gone(rule)
		w.gone(source, two, "settings")
		w.Exists(source, one, "settings", ordinary)
	})
}

func TestTargetDroppedWhileTheSourceIsGone(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	one, two := w.member(w.selected()), w.member(w.selected())
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  policy: {retain: [SourceGone]}`)
	w.counts(rule, 2, 0)
	w.Delete(source)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)

	w.label(one, `{"group":null}`)
	w.gone(source, one, "settings")
	w.Exists(source, two, "settings", fixture.Anything)
}

// The author of a rule edits it between two namespaces that it drops.
func TestRetainIsEditedBetweenTwoTargets(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	one, two, three := w.member(w.selected()), w.member(w.selected()), w.member(w.selected())
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  policy: {retain: [TargetDropped]}`)
	w.counts(rule, 3, 0)
	w.label(one, `{"group":null}`)
	w.Exists(source, one, "settings", ordinary)
	w.Merge(rule, `{"spec":{"policy":{"retain":["SourceGone"]}}}`)
	w.Ready(rule) // namespaces and rules are watched by themselves
	w.label(two, `{"group":null}`)
	w.gone(source, two, "settings")
	w.Merge(rule, `{"spec":{"policy":{"retain":["TargetDropped"]}}}`)
	w.Ready(rule) // namespaces and rules are watched by themselves
	w.label(three, `{"group":null}`)
	w.Exists(source, three, "settings", ordinary)
	w.Exists(source, one, "settings", ordinary)
}

// Each cause for which a copy is not wanted has to be listed, whichever comes first.
func TestEveryCauseHasToBeListed(t *testing.T) {
	for _, listed := range []string{"SourceGone", "TargetDropped"} {
		for _, first := range []string{"source", "target"} {
			t.Run(listed+" alone, the "+first+" goes first", func(t *testing.T) {
				w := newWorld(t)
				source := w.Apply(configMap)
				one, two := w.member(w.selected()), w.member(w.selected())
				rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  policy: {retain: [`+listed+`]}`)
				w.counts(rule, 2, 0)
				w.settles()
				if first == "source" {
					w.Delete(source)
				}
				w.label(one, `{"group":null}`)
				if first == "target" {
					w.Delete(source)
				}
				w.settles()
				if listed == "SourceGone" {
					w.gone(source, one, "settings")
					w.Exists(source, two, "settings", fixture.Anything)
					return
				}
				w.gone(source, two, "settings")
			})
		}
	}
}
