package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
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
