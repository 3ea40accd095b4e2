package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// requestsOn returns the requests of the operator that concern the rules and the home of this test, or objects in the
// namespaces, while the function runs.
func (w *world) requestsOn(namespaces []string, do func()) []env.Request {
	w.T.Helper()
	all := fixture.ReceivedDuring(w.T, cluster, operatorUser, do)
	mine := map[string]bool{w.Home: true}
	for _, namespace := range namespaces {
		mine[namespace] = true
	}
	var ours []env.Request
	for _, request := range all {
		isRule := request.Resource == "clusterprojections" && request.Name == w.Away
		isEvent := request.Resource == "events" && len(request.Name) > len(w.Away) && request.Name[:len(w.Away)] == w.Away
		if mine[request.Namespace] || isRule || isEvent {
			ours = append(ours, request)
		}
	}
	return ours
}

func TestRuleThatMatchesNoNamespaceWritesNoStatus(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {nobody: $HOME}}}`)
	ready := w.Says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonNoMatchingNamespaces)
	assert.Regexp(t, "^namespaceSelector matches none of [0-9]+ namespaces; ", ready.Message)
	w.counts(rule, 0, 0)
	w.settles()

	requests := w.requestsOn(nil, func() {
		w.Namespace("more", nil)
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.settles()
	})
	assert.Equal(t, []string{"get configmaps"}, names(requests))

	chosen := w.member(`{"nobody":"` + w.Home + `"}`)
	w.Exists(source, chosen, "settings", fixture.Anything)
	w.Ready(rule)
}

func TestRequestsOfAFanOut(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	const copies = 12
	members := make([]string, copies)
	for i := range members {
		members[i] = w.member(w.selected())
	}
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	w.counts(rule, copies, 0)
	quiet := func() {
		for busy := true; busy; {
			busy = len(w.requestsOn(members, w.settles)) > 0
		}
	}
	quiet()

	t.Run("an edit", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			w.Merge(source, `{"data":{"color":"blue"}}`)
			for _, member := range members {
				w.Exists(source, member, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
			}
			quiet()
		})
		assert.Equal(t, copies, count(requests, "patch", "configmaps"))
		assert.Equal(t, 1, count(requests, "get", "configmaps"))
		assert.Zero(t, count(requests, "update", "clusterprojections"), "no condition has changed: %v", requests)
		assert.LessOrEqual(t, len(requests), copies+3, "%v", requests)
	})
	t.Run("a deleted copy", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			before := w.Exists(source, members[0], "settings", fixture.Anything)
			w.Delete(before)
			w.Exists(source, members[0], "settings", func(o *unstructured.Unstructured) bool { return o.GetUID() != before.GetUID() })
			quiet()
		})
		assert.LessOrEqual(t, len(requests), 3, "%v", requests)
	})
	t.Run("a namespace that loses the label", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			w.label(members[0], `{"group":null}`)
			w.gone(source, members[0], "settings")
			w.counts(rule, copies-1, 0)
			quiet()
		})
		assert.LessOrEqual(t, len(requests), 3, "%v", requests)
	})
	t.Run("a namespace that gains the label", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			w.label(members[0], w.selected())
			w.Exists(source, members[0], "settings", fixture.Anything)
			w.counts(rule, copies, 0)
			quiet()
		})
		assert.LessOrEqual(t, len(requests), 3, "%v", requests)
	})
	t.Run("others who write to a copy", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			for _, label := range []string{`{"busy":"1"}`, `{"busy":"2"}`, `{"busy":"3"}`} {
				copied := w.Exists(source, members[1], "settings", fixture.Anything)
				w.Merge(copied, `{"metadata":{"labels":`+label+`}}`)
			}
			quiet()
		})
		assert.Empty(t, requests)
	})
}
