package destination_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/destination"
)

// TestTimeOfTheLastChangeIsThatOfManagedFields asks the API server: an apply that changes nothing does not move the time of our entry, nor
// does a change by somebody else.
func TestTimeOfTheLastChangeIsThatOfManagedFields(t *testing.T) {
	w := newFixture(t, configMaps)
	require.Equal(t, destination.Created, w.apply(settings("red")).Action)
	written := w.changedAt()
	require.NotZero(t, written)

	// Another copy is written until the API server's clock shows a later second.
	other := newFixture(t, configMaps)
	for colors := []string{"red", "blue"}; ; colors[0], colors[1] = colors[1], colors[0] {
		if other.apply(settings(colors[0])); other.changedAt() > written {
			break
		}
	}
	w.restart() // so that the copy is written once more
	require.Equal(t, destination.Unchanged, w.apply(settings("red")).Action)
	assert.Equal(t, written, w.changedAt(), "an apply that changes nothing")

	w.merge(`{"data":{"theirs":"x"}}`)
	assert.Equal(t, written, w.changedAt(), "somebody else adds a key")
	require.Equal(t, destination.Updated, w.apply(settings("blue")).Action)
	assert.Greater(t, w.changedAt(), written, "an apply that changes something")
}

// changedAt returns when the rule has changed its copy last, as the cache knows once it has the copy as it is now.
func (w *fixture) changedAt() (changedAt int64) {
	w.t.Helper()
	live, err := w.objects().Get(w.t.Context(), "settings", metav1.GetOptions{})
	require.NoError(w.t, err)
	require.Eventually(w.t, func() bool {
		copies := w.set.Cache.ByOwner(w.set.Owner.Key())
		if len(copies) == 1 && copies[0].ResourceVersion == live.GetResourceVersion() {
			changedAt = copies[0].ChangedAt
		}
		return changedAt > 0
	}, soon, time.Millisecond)
	return changedAt
}
