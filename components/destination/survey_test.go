package destination_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

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

	copies, err := w.writer.ListOwned(t.Context(), w.set)

	require.NoError(t, err)
	var names []string
	for _, copied := range copies {
		assert.Equal(t, w.namespace, copied.Namespace)
		names = append(names, copied.Name)
	}
	assert.ElementsMatch(t, []string{"settings", "second"}, names)
	assert.Equal(t, []string{http.MethodGet}, w.tap.take())
}

func TestSurveyPassesOverWhatWasHandedOver(t *testing.T) {
	w, _ := newCopy(t)
	w.merge(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":null}}}`)
	copies, err := w.writer.ListOwned(t.Context(), w.set)
	require.NoError(t, err)
	assert.Empty(t, copies)
}

func TestSurveyThatIsRefused(t *testing.T) {
	w, _ := newCopy(t)
	nobody, err := cluster.ConfigFor("nobody")
	require.NoError(t, err)
	w.use(nobody)
	_, err = w.writer.ListOwned(t.Context(), w.set)
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
