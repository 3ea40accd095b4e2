package destination_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// newCopy returns a fixture with one copy, and the copy as the cache has it.
func newCopy(t *testing.T) (*fixture, destination.Copy) {
	t.Helper()
	w := newFixture(t, configMaps)
	require.False(t, w.apply(settings("red")).Failed())
	copied := w.known(1)[0]
	w.tap.take()
	return w, copied
}

func (w *fixture) remove(copied destination.Copy) destination.Outcome {
	w.t.Helper()
	return w.writer.Delete(w.t.Context(), w.set, copied)
}

func (w *fixture) delete() {
	w.t.Helper()
	require.NoError(w.t, w.objects().Delete(w.t.Context(), "settings", metav1.DeleteOptions{}))
}

func (w *fixture) requireGone() {
	w.t.Helper()
	_, err := w.objects().Get(w.t.Context(), "settings", metav1.GetOptions{})
	require.True(w.t, apierrors.IsNotFound(err), "%v", err)
}

func TestRemoveTakesOneRequest(t *testing.T) {
	w, copied := newCopy(t)
	assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at()), Action: destination.Deleted}, w.remove(copied))
	assert.Equal(t, []string{http.MethodDelete}, w.tap.take())
	w.requireGone()
	w.known(0)
	assert.Empty(t, w.queued, "the rule's own deletion enqueues nobody")
}

func TestRemoveACopyThatOthersChanged(t *testing.T) {
	w, copied := newCopy(t)
	w.tap.once(http.MethodDelete, func() { w.merge(`{"metadata":{"labels":{"theirs":"1"}}}`) })
	assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at()), Action: destination.Deleted}, w.remove(copied))
	assert.Equal(t, []string{http.MethodDelete, http.MethodGet, http.MethodDelete}, w.tap.take())
	w.requireGone()
}

func TestRemoveACopyThatOthersChangeAllTheTime(t *testing.T) {
	w, copied := newCopy(t)
	w.tap.always(http.MethodDelete, func() { w.merge(`{"metadata":{"labels":{"theirs":"` + w.get().GetResourceVersion() + `"}}}`) })
	outcome := w.remove(copied)
	assert.Equal(t, v1.ReasonDestinationWriteFailed, outcome.Reason)
	assert.True(t, apierrors.IsConflict(outcome.Err), "%v", outcome.Err)
	assert.Len(t, w.tap.take(), 7, "four tries, three looks")
	w.get()

	assert.Equal(t, destination.Deleted, w.remove(w.known(1)[0]).Action, "another pass succeeds")
}

func TestRemoveACopyThatAForeignObjectReplaced(t *testing.T) {
	w, copied := newCopy(t)
	w.tap.once(http.MethodDelete, func() {
		w.delete()
		w.blocker("yellow")
	})
	assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at())}, w.remove(copied), "there was nothing to do")
	assert.Equal(t, "yellow", color(w.get()))
	w.known(0)
}

func TestRemoveACopyThatWasReleased(t *testing.T) {
	marks := map[string]string{
		"the annotation was taken off":   `{"metadata":{"annotations":{"projection.sh/owned-by-projection":null}}}`,
		"the annotation names another":   `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/other"}}}`,
		"both marks were taken off":      `{"metadata":{"annotations":{"projection.sh/owned-by-projection":null},"labels":{"projection.sh/owned-by-projection-uid":null}}}`,
		"the annotation names no object": `{"metadata":{"annotations":{"projection.sh/owned-by-projection":""}}}`,
	}
	for name, patch := range marks {
		t.Run(name, func(t *testing.T) {
			w, copied := newCopy(t)
			w.tap.once(http.MethodDelete, func() { w.merge(w.fill(patch)) })
			assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at()), Action: destination.LeftAlone}, w.remove(copied))
			assert.Equal(t, copied.UID, w.get().GetUID())
			assert.Nil(t, w.get().GetDeletionTimestamp())
		})
	}
}

func TestRemoveWhatIsGone(t *testing.T) {
	for name, verb := range map[string]string{"before the request": http.MethodDelete, "before the second look": http.MethodGet} {
		t.Run(name, func(t *testing.T) {
			w, copied := newCopy(t)
			if verb == http.MethodGet {
				copied.ResourceVersion = "1" // it was changed since
			}
			w.tap.once(verb, w.delete)
			assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at())}, w.remove(copied))
			assert.Empty(t, w.set.Cache.ByOwner(w.set.Owner.Key()), "the cache knows at once")
		})
	}
}

func TestRemoveWhatIsBeingDeleted(t *testing.T) {
	w, _ := newCopy(t)
	w.merge(`{"metadata":{"finalizers":["example.com/hold"]}}`)
	w.delete()
	require.Eventually(t, func() bool { return w.known(1)[0].Terminating }, soon, tick)
	assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at())}, w.remove(w.known(1)[0]))
	assert.Empty(t, w.tap.take())
	w.merge(`{"metadata":{"finalizers":null}}`)
}

func TestRemoveIsRefused(t *testing.T) {
	w, copied := newCopy(t)
	nobody, err := cluster.ConfigFor("nobody")
	require.NoError(t, err)
	w.use(nobody)
	outcome := w.remove(copied)
	assert.Equal(t, v1.ReasonDestinationWriteFailed, outcome.Reason)
	assert.Contains(t, outcome.Message, `the copy cannot be deleted; allow it, or release the copy (configmaps "settings" is forbidden: User "nobody" cannot delete resource`)
	require.True(t, apierrors.IsForbidden(outcome.Err), "%v", outcome.Err)
	assert.Len(t, w.set.Cache.ByOwner(w.set.Owner.Key()), 1, "it is still known as a copy")
}

func TestFindACopyWithoutItsLabel(t *testing.T) {
	w, copied := newCopy(t)
	w.merge(`{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":null}}}`)
	w.known(0)
	found, ours, err := w.writer.GetOwned(t.Context(), w.set, w.at())
	require.NoError(t, err)
	require.True(t, ours)
	assert.Equal(t, copied.UID, found.UID)
	assert.Equal(t, destination.Deleted, w.remove(found).Action)
	w.requireGone()
}

func TestFindNothing(t *testing.T) {
	w := newFixture(t, configMaps)
	find := func() (bool, error) {
		_, ours, err := w.writer.GetOwned(t.Context(), w.set, w.at())
		return ours, err
	}
	ours, err := find()
	require.NoError(t, err)
	assert.False(t, ours, "nothing is there")
	w.blocker("red")
	ours, err = find()
	require.NoError(t, err)
	assert.False(t, ours, "a foreign object is there")
	nobody, err := cluster.ConfigFor("nobody")
	require.NoError(t, err)
	w.use(nobody)
	_, err = find()
	assert.True(t, apierrors.IsForbidden(err), "it is not known: %v", err)
}
