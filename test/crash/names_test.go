package crash_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// TestDeletedRuleFindsCopiesOfAnyNameWithoutTheirLabels has a copy lose its label, and the rule and its source deleted, while no operator runs. What
// the name of the copy depended on does not exist any more.
func TestDeletedRuleFindsCopiesOfAnyNameWithoutTheirLabels(t *testing.T) {
	t.Parallel()
	const lane = "names-unlabelled"
	var all []*world
	first, _ := serve(t, lane, "first")
	for _, tier := range bothTiers {
		w := newWorld(t, lane, tier)
		sourceAndRule(w)
		w.team(one, "a")
		w.nameBy(oracle.NameByTeam)
		w.settles()
		all = append(all, w)
	}
	require.NoError(t, first.Stop())
	for _, w := range all {
		w.patch(w.object("ConfigMap", one, "settingsa"), withoutLabels)
		w.team(one, "b")
		w.Delete(w.rule("rule"))
		w.remove(home)
	}
	serve(t, lane, "second")
	for _, w := range all {
		w.settles()
		assert.Empty(t, w.copies(one), w.tier)
	}
}

// TestRestartWithNamesWritesNothing starts an operator for copies with different names that are in sync.
func TestRestartWithNamesWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "names-restart", v1.KindClusterProjection)
	operator := w.serveWorld()
	sourceAndRule(w)
	w.team(one, "a")
	w.nameBy(oracle.NameByTeam)
	w.settles()
	w.rests()
	require.NoError(t, operator.Stop())
	w.startsWithoutWriting("second-operator-of-" + w.id)
	w.settles()
}
