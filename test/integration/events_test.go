package integration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// reported waits until there is an event on the rule with the reason, and returns it.
func (w *world) reported(rule *v1.Projection, reason string) eventsv1.Event {
	w.T.Helper()
	var found eventsv1.Event
	require.Eventuallyf(w.T, func() bool {
		var events eventsv1.EventList
		require.NoError(w.T, w.Client.List(w.T.Context(), &events, client.InNamespace(rule.Namespace)))
		for _, event := range events.Items {
			if event.Regarding.UID == rule.UID && event.Reason == reason {
				found = event
				return true
			}
		}
		return false
	}, env.Timeout, env.Interval, "there is no event %s", reason)
	return found
}

func TestEventsSayWhatWasDone(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	created := w.reported(rule, v1.ReasonProjected)
	assert.Equal(t, "created the copy "+w.Away+"/settings", created.Note)
	assert.Equal(t, "Write", created.Action)
	assert.Equal(t, "Normal", created.Type)

	w.Merge(source, `{"data":{"color":"blue"}}`)
	assert.Equal(t, "updated the copy "+w.Away+"/settings", w.reported(rule, v1.ReasonUpdated).Note)

	w.Merge(rule, `{"spec":{"destination":{"name":"renamed"}}}`)
	assert.Equal(t, "deleted the copy "+w.Away+"/settings", w.reported(rule, v1.ReasonStaleDestinationDeleted).Note)

	w.Delete(source)
	gone := w.reported(rule, v1.ReasonSourceDeleted)
	assert.Equal(t, "Warning", gone.Type)
	assert.Equal(t, "Resolve", gone.Action)
}

func TestEventsCountTheCopiesThatAreNotWantedAnyMore(t *testing.T) {
	tests := map[string]struct {
		change  func(w *world, source *unstructured.Unstructured, rule *v1.Projection)
		because string
		reason  string // of the condition; empty: the rule is gone
	}{
		"an opt-out": {func(w *world, source *unstructured.Unstructured, _ *v1.Projection) {
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
		}, `the owner of ConfigMap $HOME/settings has opted out by the annotation projection.sh/projectable: "false"`, v1.ReasonSourceOptedOut},
		"a consent that is withdrawn": {func(w *world, source *unstructured.Unstructured, _ *v1.Projection) {
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":null}}}`)
		}, `the owner of ConfigMap $HOME/settings has not opted in`, v1.ReasonSourceNotProjectable},
		"a deleted source": {func(w *world, source *unstructured.Unstructured, _ *v1.Projection) {
			w.Delete(source)
		}, `ConfigMap $HOME/settings was deleted`, v1.ReasonSourceDeleted},
		"a deleted rule": {func(w *world, _ *unstructured.Unstructured, rule *v1.Projection) { w.Delete(rule) }, `this rule is being deleted`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Apply(configMap)
			rule := w.Project("settings", source)
			w.Ready(rule)
			test.change(w, source, rule)
			because := strings.ReplaceAll(test.because, "$HOME", w.Home)
			removed := w.reported(rule, v1.ReasonStaleDestinationDeleted)
			assert.Equal(t, "deleted the copy "+w.Away+"/settings, because "+because, removed.Note)
			assert.Equal(t, "Normal", removed.Type)
			if test.reason != "" {
				condition := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, test.reason)
				assert.Contains(t, condition.Message, because+"; 1 copy was removed; ")
			}
		})
	}
}
