package destination_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

func TestSurveyFindsTheCopiesOfTheRule(t *testing.T) {
	w := newFixture(t, configMaps)
	w.apply(settings("red"))
	w.rule.Spec.Destination.Name = "second"
	w.apply(settings("red"))
	other := newFixture(t, configMaps)
	other.apply(settings("red"))
	w.tap.take()

	copies, _, err := w.writer.ListOwned(t.Context(), w.set)

	require.NoError(t, err)
	var names []string
	for _, copied := range copies {
		assert.Equal(t, w.namespace, copied.Namespace)
		names = append(names, copied.Name)
	}
	assert.ElementsMatch(t, []string{"settings", "second"}, names)
	assert.Equal(t, []string{http.MethodGet}, w.tap.take())
}

// TestSurveyOfManyCopiesIsPaged lists more objects than one page has.
func TestSurveyOfManyCopiesIsPaged(t *testing.T) {
	w := newFixture(t, configMaps)
	var creations errgroup.Group
	creations.SetLimit(16)
	const count = 501
	for range count {
		creations.Go(func() error {
			object := source(t, w.fill(`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: $NS, generateName: released-, `+
				`labels: {projection.sh/owned-by-projection-uid: $UID}}}`))
			_, err := w.objects().Create(t.Context(), object, metav1.CreateOptions{})
			return err
		})
	}
	require.NoError(t, creations.Wait())
	w.tap.take()

	copies, released, err := w.writer.ListOwned(t.Context(), w.set)

	require.NoError(t, err)
	assert.Empty(t, copies)
	assert.Len(t, released, count)
	assert.Equal(t, []string{http.MethodGet, http.MethodGet}, w.tap.take())
}

func TestSurveyPassesOverWhatWasReleased(t *testing.T) {
	w, _ := newCopy(t)
	w.merge(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":null}}}`)
	copies, released, err := w.writer.ListOwned(t.Context(), w.set)
	require.NoError(t, err)
	assert.Empty(t, copies)
	require.Len(t, released, 1)
	assert.Equal(t, w.at(), released[0].NamespacedName)
}

func TestSurveyThatIsRefused(t *testing.T) {
	w, _ := newCopy(t)
	nobody, err := cluster.ConfigFor("nobody")
	require.NoError(t, err)
	w.use(nobody)
	_, _, err = w.writer.ListOwned(t.Context(), w.set)
	assert.True(t, apierrors.IsForbidden(err), "it is not known: %v", err)
}

func TestWhatIsThereCannotBeLookedAt(t *testing.T) {
	w, _ := newCopy(t)
	w.tap.once(http.MethodPatch, func() { w.merge(`{"data":{"color":"green"}}`) })
	w.tap.refuse(http.MethodGet)

	outcome := w.apply(settings("blue"))

	assert.Equal(t, v1.ReasonDestinationFetchFailed, outcome.Reason)
	require.Error(t, outcome.Err, "it is tried again")
	assert.Equal(t, destination.Unchanged, outcome.Action)
	assert.Equal(t, "green", color(w.get()), "what is not known is not written")
}
