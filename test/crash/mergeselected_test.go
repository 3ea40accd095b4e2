package crash_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
)

// bundlingSelected creates a rule that merges what it selects in the namespace home.
func (w *world) bundlingSelected(extra string) {
	w.share("a")
	w.share("b")
	w.project("rule")
	w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"source":{"name":null,"selector":{"matchLabels":{"share":"yes"}}},"merge":{},"destination":{"name":"bundle"}%s}}`, extra))
}

func (w *world) hasBundle() bool { return w.live(w.object("ConfigMap", one, "bundle")) != nil }

// The rule retains copies of what was deleted; then the operator restarts.
func TestCopiesOfWhatWasSelectedAreRetainedAfterARestart(t *testing.T) {
	w := newWorld(t, "merge", v1.KindClusterProjection)
	operator := w.serveWorld()
	w.bundlingSelected(`,"policy":{"retain":["SourceGone"]}`)
	require.Eventually(t, w.hasBundle, timeout, interval)
	w.rests()
	require.NoError(t, w.Client.Delete(t.Context(), w.object("ConfigMap", home, "a")))
	require.NoError(t, w.Client.Delete(t.Context(), w.object("ConfigMap", home, "b")))
	w.rests()
	require.True(t, w.hasBundle(), "kept while the operator runs")
	require.NoError(t, operator.Stop())
	w.serveWorld()
	w.rests()
	assert.True(t, w.hasBundle(), "kept after a restart")
}

// A copy loses its label while no operator runs, and all owners opt out.
func TestOptOutReachesACopyWithoutItsLabelOfWhatIsMerged(t *testing.T) {
	w := newWorld(t, "merge", v1.KindClusterProjection)
	operator := w.serveWorld()
	w.bundlingSelected("")
	require.Eventually(t, w.hasBundle, timeout, interval)
	w.rests()
	require.NoError(t, operator.Stop())
	w.patch(w.object("ConfigMap", one, "bundle"), withoutLabels)
	w.editShared("a", veto)
	w.editShared("b", veto)
	w.serveWorld()
	w.rests()
	assert.False(t, w.hasBundle(), "nobody consents")
}
