package crash_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOptOutReachesACopyWithoutItsLabel has a copy lose its label, and its source opted out, while no operator runs.
func TestOptOutReachesACopyWithoutItsLabel(t *testing.T) {
	t.Parallel()
	const lane = "unlabelled"
	first, _ := serve(t, lane, "first")
	var all []*world
	for _, tier := range bothTiers {
		w := newWorld(t, lane, tier)
		sourceAndRule(w)
		w.settles()
		all = append(all, w)
	}
	require.NoError(t, first.Stop())
	for _, w := range all {
		w.patch(w.object("ConfigMap", one, "settings"), withoutLabels)
		w.editSource(veto)
	}
	serve(t, lane, "second")
	for _, w := range all {
		w.settles()
		assert.Empty(t, w.copies(one), w.tier)
	}
}
