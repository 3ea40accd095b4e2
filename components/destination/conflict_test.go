package destination_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// requireConflict checks that the outcome is the conflict with a foreign object.
func requireConflict(t *testing.T, w *fixture, outcome destination.Outcome) {
	t.Helper()
	assert.Regexp(t, "^an object is there that .+; it is left alone; delete it, or set another destination.name$", outcome.Message)
	outcome.Message = ""
	require.Equal(t, destination.Outcome{Place: w.set.Place(w.at()), Reason: v1.ReasonDestinationConflict}, outcome)
	assert.Equal(t, []types.NamespacedName{w.at()}, w.blockers.list(), "its end is waited for")
}

func TestForeignObjectIsNotTouched(t *testing.T) {
	tests := map[string]string{
		"without a mark":                          `{}`,
		"with another rule's mark":                `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/other"}}}`,
		"with the mark of a namesake":             `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"elsewhere/rule"}}}`,
		"with the mark of the other kind of rule": `{"metadata":{"annotations":{"projection.sh/owned-by-cluster-projection":"rule"}}}`,
		"with a mark and somebody else's uid":     `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/other"},"labels":{"projection.sh/owned-by-projection-uid":"$UID"}}}`,
	}
	for name, marks := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, configMaps)
			w.blocker("red")
			before := w.merge(w.fill(marks))

			requireConflict(t, w, w.apply(settings("blue")))
			assert.Equal(t, before, w.get(), "not a byte")
		})
	}
}

func TestConflictSaysWhoseTheObjectIs(t *testing.T) {
	tests := map[string]struct{ marks, want string }{
		"another Projection's":   {`{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/other"}}}`, "belongs to the Projection $NS/other"},
		"a ClusterProjection's":  {`{"metadata":{"annotations":{"projection.sh/owned-by-cluster-projection":"base"}}}`, "belongs to the ClusterProjection base"},
		"a Helm release's":       {`{"metadata":{"annotations":{"meta.helm.sh/release-name":"shop","meta.helm.sh/release-namespace":"web"}}}`, "belongs to the Helm release web/shop"},
		"a controller's":         {`{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u","controller":true}]}}`, "belongs to the ReplicaSet web"},
		"a field manager's":      {`{"data":{"color":"green"}}`, `is not a copy of this rule, and was last written by field manager "`},
		"no name's":              {`{"metadata":{"annotations":{"meta.helm.sh/release-name":"Not a name","meta.helm.sh/release-namespace":"web"}}}`, `was last written by field manager "`},
		"a foreign controller's": {`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Not a kind","name":"web","uid":"u","controller":true}]}}`, `was last written by field manager "`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, configMaps)
			w.blocker("red")
			w.merge(w.fill(test.marks))
			outcome := w.apply(settings("blue"))
			requireConflict(t, w, outcome)
			assert.Contains(t, outcome.Message, w.fill(test.want))
		})
	}
}

func TestConflictNamesBothRulesOfAnObject(t *testing.T) {
	tests := map[string]struct{ projection, want string }{
		"names":               {"$NS/other", "names two rules as its owner, the Projection $NS/other and the ClusterProjection base, and"},
		"a name that is none": {"$NS/Password=1", "names two rules as its owner and"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, configMaps)
			w.blocker("red")
			w.merge(w.fill(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":"` + test.projection +
				`","projection.sh/owned-by-cluster-projection":"base"}}}`))
			assert.Equal(t, w.fill("an object is there that "+test.want+" belongs to neither; it is left alone; remove one of the two annotations"),
				w.apply(settings("blue")).Message)
		})
	}
}

func TestForeignObjectThatComesRightBeforeTheWriteIsNotTouched(t *testing.T) {
	w := newFixture(t, configMaps)
	w.tap.before = func(verb string) {
		if verb == http.MethodPatch {
			w.blocker("red")
		} else {
			assert.Equal(t, []types.NamespacedName{w.at()}, w.blockers.list(), "its end is waited for before it is looked at")
		}
	}
	requireConflict(t, w, w.apply(settings("blue")))
	assert.Equal(t, []string{http.MethodPatch, http.MethodGet}, w.tap.take())
	assert.Equal(t, "red", color(w.get()))
	assert.Len(t, w.get().GetManagedFields(), 1)
}

func TestForeignObjectThatComesBetweenLookAndWriteIsNotTouched(t *testing.T) {
	w := newFixture(t, configMaps)
	w.blocker("red")
	step := 0
	w.tap.mu.Lock()
	w.tap.before = func(verb string) {
		switch step++; {
		case step == 2 && verb == http.MethodGet:
			w.delete() // the look finds the place free
		case step == 3 && verb == http.MethodPatch:
			w.blocker("yellow") // the second write does not
		}
	}
	w.tap.mu.Unlock()

	requireConflict(t, w, w.apply(settings("blue")))
	assert.Equal(t, []string{http.MethodPatch, http.MethodGet, http.MethodPatch, http.MethodGet}, w.tap.take())
	assert.Equal(t, "yellow", color(w.get()))
}

func TestForeignObjectInPlaceOfOurCopyIsNotTouched(t *testing.T) {
	w := newFixture(t, configMaps)
	w.apply(settings("red"))
	w.tap.once(http.MethodPatch, func() {
		w.delete()
		w.blocker("yellow")
	})
	requireConflict(t, w, w.apply(settings("blue")))
	assert.Equal(t, "yellow", color(w.get()))
}

func TestForeignObjectThatStandsStillIsNotLookedAtAgain(t *testing.T) {
	w := newFixture(t, configMaps)
	w.blocker("red")
	requireConflict(t, w, w.apply(settings("blue")))
	w.tap.take()
	outcome := w.apply(settings("green"))
	assert.Empty(t, w.tap.take(), "nothing happened there")
	assert.True(t, outcome.Repeated)
	outcome.Repeated = false
	requireConflict(t, w, outcome)

	w.blockers.stir()
	requireConflict(t, w, w.apply(settings("green")))
	assert.Equal(t, []string{http.MethodPatch, http.MethodGet}, w.tap.take())
}

func TestCopyFollowsWhenTheForeignObjectIsGone(t *testing.T) {
	w := newFixture(t, configMaps)
	w.blocker("red")
	requireConflict(t, w, w.apply(settings("blue")))
	w.delete()
	w.blockers.stir()
	assert.Equal(t, destination.Created, w.apply(settings("blue")).Action)
	assert.Empty(t, w.blockers.list())
}

func TestReleasedCopyIsLeftAlone(t *testing.T) {
	for _, when := range []string{"before", "right before the write"} {
		t.Run(when, func(t *testing.T) {
			w := newFixture(t, configMaps)
			w.apply(settings("red"))
			handOver := func() { w.merge(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":null}}}`) }
			if when == "before" {
				handOver()
				w.known(0)
			} else {
				w.tap.once(http.MethodPatch, handOver)
			}

			outcome := w.apply(settings("blue"))

			assert.Equal(t, destination.LeftAlone, outcome.Action)
			assert.Equal(t, v1.ReasonDestinationConflict, outcome.Reason)
			assert.Equal(t, "the copy was released, since its annotation projection.sh/owned-by-projection was removed; it is left alone; "+
				"delete this rule or the object, or restore the annotation", outcome.Message)
			require.NoError(t, outcome.Err)
			assert.Equal(t, "red", color(w.get()))
		})
	}
}

func TestRuleThatIsCreatedAgainLooksForItself(t *testing.T) {
	w := newFixture(t, configMaps)
	w.apply(settings("red"))
	w.merge(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":null}}}`)
	w.known(0)
	require.Equal(t, destination.LeftAlone, w.apply(settings("blue")).Action)

	w.set.Owner.UID = "uid-of-the-next"
	requireConflict(t, w, w.apply(settings("blue")))
}
