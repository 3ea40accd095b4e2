package crash_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env/fixture"
)

// asSecret is a ConfigMap that is copied as a Secret.
func asSecret(w *world) {
	sourceAndRule(w)
	w.patch(w.rule("rule"), `{"spec":{"destination":{"kind":"Secret"}}}`)
}

func TestRestartWithCopiesOfAnotherKindCostsNoWrite(t *testing.T) {
	t.Parallel()
	const lane = "another-kind"
	first, _ := serve(t, lane, "first")
	var all []*world
	for _, tier := range bothTiers {
		for _, given := range []func(*world){asSecret, published} {
			w := newWorld(t, lane, tier)
			given(w)
			all = append(all, w)
		}
	}
	_, verbs := restarted(t, lane, first, all)
	assert.Equal(t, 2, verbs["get configmaps"], "one read of the source for each rule: %v", verbs)
	assert.Equal(t, 2, verbs["get secrets"], "one read of the source for each rule: %v", verbs)
	for _, w := range all {
		assert.Empty(t, w.problems())
	}
}

// TestForeignObjectOfTheKindOfCopiesThatWasThereBefore has an object in the way whose end no event of the source's kind tells of.
func TestForeignObjectOfTheKindOfCopiesThatWasThereBefore(t *testing.T) {
	t.Parallel()
	const lane = "kind-in-the-way"
	first, _ := serve(t, lane, "first")
	var all []*world
	for _, tier := range bothTiers {
		w := newWorld(t, lane, tier)
		w.put("ConfigMap", one, `data: {mine: "1"}`)
		published(w)
		all = append(all, w)
	}
	for _, w := range all {
		w.settles()
	}
	require.NoError(t, first.Stop())

	mark := fixture.Mark(t, cluster)
	_, user := serve(t, lane, "second")
	quiet(t, mark, user, len(all))
	for _, w := range all {
		assert.Empty(t, w.problems())
		w.remove(one)
		w.settles()
		assert.Len(t, w.copies(one), 1, w.tier)
	}
}
