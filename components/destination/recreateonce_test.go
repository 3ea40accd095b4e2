package destination_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// TestOthersWaitForACopyThatIsMissing has a finalizer keep a copy that was deleted. Another copy of the rule is refused once, and then no more.
func TestOthersWaitForACopyThatIsMissing(t *testing.T) {
	w, other := recreating(t, configMaps, red), recreating(t, configMaps, red)
	other.set.Recreations = w.set.Recreations
	w.merge(`{"metadata":{"finalizers":["example.com/hold"]}}`)
	require.Equal(t, v1.ReasonDestinationCreateFailed, w.apply(fixed("one", blue)).Reason)
	for range 5 {
		outcome := other.apply(fixed("one", blue))
		assert.True(t, outcome.Pending && outcome.Waits)
		assert.Equal(t, time.Second, outcome.RetryAfter)
	}
	assert.Equal(t, recreated[:1], other.tap.take())

	w.merge(`{"metadata":{"finalizers":null}}`)
	w.blockers.stir()
	assert.Equal(t, destination.Recreated, w.apply(fixed("one", blue)).Action, "it was deleted for that")
	assert.Equal(t, destination.Recreated, other.apply(fixed("one", blue)).Action)
	assert.Equal(t, recreated, other.tap.take())
}

// TestCopyOfAReplacedSourceNeedsNoTry is what a rule does that recreates nothing, too.
func TestCopyOfAReplacedSourceNeedsNoTry(t *testing.T) {
	w := recreating(t, configMaps, red)
	assert.Equal(t, destination.Created, w.apply(fixed("two", blue)).Action)
	assert.Equal(t, []string{http.MethodPatch, http.MethodGet, http.MethodDelete, http.MethodPatch}, w.tap.take())
}

// TestCopyIsNotRecreatedTwiceWithTheSameContent has somebody put another object in the place of the copy each time, as a webhook would.
func TestCopyIsNotRecreatedTwiceWithTheSameContent(t *testing.T) {
	w := recreating(t, configMaps, red)
	now := time.Now()
	w.set.Recreations = destination.NewRecreations(func() time.Time { return now })
	rewrite := func() {
		object := w.get()
		w.delete()
		object.SetResourceVersion("")
		object.SetUID("")
		object.SetManagedFields(nil)
		object.Object["data"] = map[string]any{"color": "theirs"}
		_, err := w.objects().Create(t.Context(), object, metav1.CreateOptions{})
		require.NoError(t, err)
		w.restart()
		w.known(1)
	}
	require.Equal(t, destination.Recreated, w.apply(fixed("one", blue)).Action)
	rewrite()
	before := w.get()
	outcome := w.apply(fixed("one", blue))
	assert.Equal(t, v1.ReasonDestinationUpdateFailed, outcome.Reason)
	assert.Contains(t, outcome.Message, "the copy cannot be updated and keeps its old content; "+
		"it was created with the same content less than ten minutes ago, and is not recreated so soon; find out who changes it, such as a webhook (")
	assert.Equal(t, before.GetUID(), w.get().GetUID())
	assert.Equal(t, destination.Recreated, w.apply(fixed("one", red)).Action, "other content")
	rewrite()
	require.Equal(t, v1.ReasonDestinationUpdateFailed, w.apply(fixed("one", red)).Reason)
	now = now.Add(10 * time.Minute)
	assert.Equal(t, destination.Recreated, w.apply(fixed("one", red)).Action)
}

// TestCopyIsNotRecreatedTwiceBecauseOfARestart has somebody change the copy to what cannot be changed, as a webhook would.
func TestCopyIsNotRecreatedTwiceBecauseOfARestart(t *testing.T) {
	const mutable = `kind: ConfigMap, data: {color: red}`
	tests := map[string]struct {
		restarts, later time.Duration // after the copy was created
		content         string
		recreated       bool
	}{
		"no restart":           {restarts: -time.Hour, content: mutable, recreated: true},
		"a restart":            {restarts: time.Minute, later: 9 * time.Minute, content: mutable},
		"long after a restart": {restarts: time.Minute, later: 10*time.Minute + time.Second, content: mutable, recreated: true},
		"other content":        {restarts: time.Minute, later: time.Minute, content: `kind: ConfigMap, data: {color: blue}`, recreated: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := recreating(t, configMaps, mutable)
			created := w.get().GetCreationTimestamp().Time
			w.merge(`{"data":{"color":"theirs"},"immutable":true}`)
			w.restart()
			w.known(1)
			now := created.Add(test.restarts)
			w.set.Recreations = destination.NewRecreations(func() time.Time { return now })
			now = created.Add(test.later)
			outcome := w.apply(fixed("one", test.content))
			if test.recreated {
				assert.Equal(t, destination.Recreated, outcome.Action, outcome.Message)
				return
			}
			assert.Equal(t, v1.ReasonDestinationUpdateFailed, outcome.Reason)
			assert.Contains(t, outcome.Message, "it was created with the same content less than ten minutes ago, and is not recreated so soon; ")
			assert.Equal(t, "theirs", color(w.get()))
		})
	}
}

// TestCopyThatWasDeletedToBeRecreatedIsMissed has the connection break between the deletion and the creation. The message says who has deleted it.
func TestCopyThatWasDeletedToBeRecreatedIsMissed(t *testing.T) {
	const deleted = "the operator deleted the copy to recreate it, and creates it as soon as the API server accepts it; the operator retries ("
	w := recreating(t, configMaps, red)
	w.tap.once(http.MethodDelete, func() { w.tap.refuse(http.MethodPatch) })
	for range 2 {
		outcome := w.apply(fixed("one", blue))
		assert.Equal(t, v1.ReasonDestinationCreateFailed, outcome.Reason)
		assert.Contains(t, outcome.Message, deleted)
		require.Error(t, outcome.Err)
		w.requireGone()
	}
	w.tap.refuse("")
	require.Equal(t, destination.Recreated, w.apply(fixed("one", blue)).Action)

	w.delete()
	w.known(0)
	w.tap.refuse(http.MethodPatch)
	assert.Contains(t, w.apply(fixed("one", blue)).Message, "the copy cannot be created; the operator retries (", "somebody else has deleted it")
}
