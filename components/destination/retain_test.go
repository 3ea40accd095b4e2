package destination_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

func (w *fixture) retain(copied destination.Copy) destination.Outcome {
	w.t.Helper()
	return w.writer.Retain(w.t.Context(), w.set, copied, func() bool { return true })
}

func TestRetainTakesOneRequest(t *testing.T) {
	w, copied := newCopy(t)
	w.merge(`{"metadata":{"labels":{"theirs":"1"},"annotations":{"theirs":"2"}}}`)
	copied.ResourceVersion = w.get().GetResourceVersion()
	w.tap.take()
	assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at()), Action: destination.Retained}, w.retain(copied))
	assert.Equal(t, []string{http.MethodPatch}, w.tap.take())
	left := w.get()
	assert.Equal(t, copied.UID, left.GetUID())
	assert.Equal(t, map[string]string{"theirs": "1"}, left.GetLabels())
	assert.Equal(t, map[string]string{"theirs": "2"}, left.GetAnnotations())
	assert.Equal(t, "red", color(left))
	w.known(0)
	assert.Empty(t, w.queued, "the rule's own request enqueues nobody")

	assert.Equal(t, v1.ReasonDestinationConflict, w.apply(settings("blue")).Reason, "a late write of the rule does not take it back")
}

func TestHandOverThatIsWithdrawnChangesNothing(t *testing.T) {
	w, copied := newCopy(t)
	before := w.get().Object
	asked := 0
	outcome := w.writer.Retain(t.Context(), w.set, copied, func() bool { asked++; return false })
	assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at()), Pending: true, RetryAfter: time.Second}, outcome)
	assert.Equal(t, 1, asked)
	assert.Equal(t, before, w.get().Object)

	w.tap.take()
	w.tap.once(http.MethodPatch, func() { w.merge(`{"metadata":{"labels":{"theirs":"1"}}}`) })
	outcome = w.writer.Retain(t.Context(), w.set, copied, func() bool { asked++; return asked == 2 })
	assert.True(t, outcome.Pending, "it is asked before the second try, too")
	assert.Equal(t, 3, asked)
	assert.Equal(t, []string{http.MethodPatch, http.MethodGet}, w.tap.take())
	w.known(1)
}

func TestRetainACopyThatOthersChanged(t *testing.T) {
	w, copied := newCopy(t)
	w.tap.once(http.MethodPatch, func() { w.merge(`{"metadata":{"labels":{"theirs":"1"}}}`) })
	assert.Equal(t, destination.Retained, w.retain(copied).Action)
	assert.Equal(t, []string{http.MethodPatch, http.MethodGet, http.MethodPatch}, w.tap.take())
	assert.Equal(t, map[string]string{"theirs": "1"}, w.get().GetLabels())
}

func TestRetainAnObjectThatIsNotTheCopy(t *testing.T) {
	tests := map[string]struct {
		happens func(w *fixture)
		action  destination.Action
	}{
		"a foreign object replaced it": {func(w *fixture) {
			w.delete()
			w.blocker("yellow")
		}, destination.Unchanged},
		"it was released": {func(w *fixture) { w.merge(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":null}}}`) }, destination.LeftAlone},
		"another rule has taken it": {func(w *fixture) {
			w.merge(w.fill(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/other"}}}`))
		}, destination.LeftAlone},
		"somebody has deleted it": {func(w *fixture) { w.delete() }, destination.Unchanged},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w, copied := newCopy(t)
			var before map[string]any
			w.tap.once(http.MethodPatch, func() {
				test.happens(w)
				if object, err := w.objects().Get(t.Context(), "settings", metav1.GetOptions{}); err == nil {
					before = object.Object
				}
			})
			assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at()), Action: test.action}, w.retain(copied))
			if before != nil {
				assert.Equal(t, before, w.get().Object, "not a byte of it changes")
			}
		})
	}
}

func TestRetainACopyWhoseUIDIsAnother(t *testing.T) {
	w, copied := newCopy(t)
	w.delete()
	require.False(t, w.apply(settings("red")).Failed())
	copied.ResourceVersion = w.known(1)[0].ResourceVersion // as after a restore of the API server's storage
	before := w.get().Object
	assert.Equal(t, v1.ReasonDestinationWriteFailed, w.retain(copied).Reason)
	assert.Equal(t, before, w.get().Object, "the uid is a precondition")

	assert.Equal(t, destination.Retained, w.retain(w.known(1)[0]).Action, "the next reconcile retains it")
}

// TestRetainThatAWebhookUndoes answers the request with the copy as it is, which is what a client sees if a webhook restores the annotation.
func TestRetainThatAWebhookUndoes(t *testing.T) {
	w, copied := newCopy(t)
	config := rest.CopyConfig(cluster.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport(func(request *http.Request) (*http.Response, error) {
			read := request.Clone(request.Context())
			read.Method, read.Body, read.ContentLength, read.URL.RawQuery = http.MethodGet, nil, 0, ""
			return next.RoundTrip(read)
		})
	})
	w.writer.Metadata = metadata.NewForConfigOrDie(config)
	outcome := w.retain(copied)
	assert.Equal(t, v1.ReasonDestinationWriteFailed, outcome.Reason)
	require.Error(t, outcome.Err)
	assert.Contains(t, outcome.Message, "a webhook may have restored it")
}
