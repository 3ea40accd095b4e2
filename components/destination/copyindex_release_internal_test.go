package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/owner"
)

// successor is another object, of the other rule.
func successor(version string, changes ...func(*metav1.PartialObjectMetadata)) *metav1.PartialObjectMetadata {
	changes = append([]func(*metav1.PartialObjectMetadata){ownedBy(theirs), func(o *metav1.PartialObjectMetadata) { o.UID = "uid-of-next" }}, changes...)
	return copied(version, changes...)
}

func (w *fakeWatch) requireWatchedForTheirs(t *testing.T, drift, end *metav1.PartialObjectMetadata) {
	t.Helper()
	w.enqueued()
	require.True(t, w.setDesired(at, theirs, wanted, 0))
	w.changed(drift)
	assert.Equal(t, rules(theirs), w.enqueued(), "it drifts")
	w.vanished(end)
	assert.Equal(t, rules(theirs), w.enqueued(), "it is deleted")
}

func TestDeletionByTheEarlierOwnerChangesNothing(t *testing.T) {
	t.Run("of a copy that was handed over and written", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.changed(copied("11", ownedBy(theirs)))
		w.write(theirs, copied("12", ownedBy(theirs)))
		w.beginDelete(at, mine)
		w.abort(at, mine)
		w.requireWatchedForTheirs(t, copied("13", ownedBy(theirs), drifted), copied("14", ownedBy(theirs)))
	})
	t.Run("of a copy that is handed over and written meanwhile", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.beginDelete(at, mine)
		w.changed(copied("11", ownedBy(theirs)))
		assert.Equal(t, rules(theirs), w.enqueued(), "it is the other's to look after")
		w.write(theirs, copied("12", ownedBy(theirs)))
		w.abort(at, mine)
		w.requireWatchedForTheirs(t, copied("13", ownedBy(theirs), drifted), copied("14", ownedBy(theirs)))
	})
	t.Run("of a copy that is handed over as the other wants it", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.beginDelete(at, mine)
		w.changed(copied("11", ownedBy(theirs)))
		fields := stateOf(owner.Projection, copied("11", ownedBy(theirs))).Fields
		require.True(t, w.setDesired(at, theirs, wanted, fields))
		w.abort(at, mine)
		w.requireWatchedForTheirs(t, copied("13", ownedBy(theirs), drifted), copied("14", ownedBy(theirs)))
	})
	t.Run("of a copy that is gone, where the other has its own", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.vanished(copied("11"))
		w.write(theirs, successor("12"))
		w.notFound(at, mine, copied("10").UID)
		w.abort(at, mine)
		w.requireWatchedForTheirs(t, successor("13", drifted), successor("14"))
	})
	t.Run("of a copy that was handed over and is gone", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.write(theirs, copied("12", ownedBy(theirs)))
		w.notFound(at, mine, copied("10").UID)
		w.requireWatchedForTheirs(t, copied("13", ownedBy(theirs), drifted), copied("14", ownedBy(theirs)))
	})
}

func TestGoneIsOneObject(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.notFound(at, mine, "uid-of-an-earlier-one")
	assert.Len(t, w.copiesOf(mine), 1)
}

func TestAnswerThatComesAfterAHandOver(t *testing.T) {
	w := newFakeWatch()
	w.beginWrite(at, mine, wanted)
	w.changed(copied("10"))
	w.changed(copied("11", ownedBy(theirs)))
	w.write(theirs, copied("12", ownedBy(theirs)))
	w.enqueued()
	w.end(mine, wanted, stateOf(owner.Projection, copied("10")))
	assert.Equal(t, rules(mine), w.enqueued(), "its write was overtaken")
	w.abort(at, mine) // it finds a foreign object there
	w.requireWatchedForTheirs(t, copied("13", ownedBy(theirs), drifted), copied("14", ownedBy(theirs)))
}

func TestRuleWhoseCopyHasGivenWayIsEnqueued(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.beginWrite(at, theirs, wanted)
	w.end(theirs, wanted, stateOf(owner.Projection, successor("12")))
	w.vanished(copied("11"))
	assert.Equal(t, rules(mine), w.enqueued())
	assert.True(t, w.setDesired(at, theirs, wanted, 0))
}

func TestForgottenRuleWantsNothing(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.vanished(copied("11"))
	w.enqueued()
	w.forget(mine)
	assert.Empty(t, w.missingOf(mine))
	assert.Empty(t, w.entries)

	w.changed(copied("12"))
	assert.Equal(t, rules(mine), w.enqueued(), "a copy that is written late is news")
	w.write(mine, copied("12"))
	w.forget(mine)
	w.changed(copied("13", drifted))
	assert.Empty(t, w.enqueued())
	assert.Len(t, w.copiesOf(mine), 1, "the copy is still known")

	w.write(theirs, successor("20"))
	w.forget(mine)
	w.requireWatchedForTheirs(t, successor("21", drifted), successor("22"))
}

// Nobody passes by such a place: the rule that gave it up has no plan for it.
func TestCopyThatComesBackToARuleThatWantsNoneEnqueuesIt(t *testing.T) {
	t.Run("handed over and back", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.changed(copied("11", handedOver))
		assert.Equal(t, rules(mine), w.enqueued())
		w.beginWrite(at, mine, wanted)
		w.abort(at, mine)
		w.changed(copied("12"))
		assert.Equal(t, rules(mine), w.enqueued())
	})
	t.Run("another object in the place of one that was deleted", func(t *testing.T) {
		w := newFakeWatch()
		w.list("1")
		w.write(mine, copied("10"))
		w.beginDelete(at, mine)
		w.list("20", copied("20", func(o *metav1.PartialObjectMetadata) { o.UID = "uid-of-next" }))
		assert.Equal(t, rules(mine), w.enqueued())
	})
}
