package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
)

func TestPlaceThatLostItsCopyIsRemembered(t *testing.T) {
	w := newFakeWatch()
	assert.Empty(t, w.missingOf(mine))
	w.write(mine, copied("10"))
	assert.Empty(t, w.missingOf(mine))

	w.vanished(copied("11")) // deleted, or without its label
	assert.Equal(t, []types.NamespacedName{at}, w.missingOf(mine))
	assert.Empty(t, w.missingOf(theirs))

	w.abort(at, mine) // the API server was asked
	assert.Empty(t, w.missingOf(mine))
	assert.Empty(t, w.entries)
}

func TestPlaceIsAbsentUntilItIsWritten(t *testing.T) {
	w := newFakeWatch()
	w.beginWrite(at, mine, wanted)
	assert.Equal(t, []types.NamespacedName{at}, w.missingOf(mine))
	w.abort(at, mine)
	assert.Empty(t, w.missingOf(mine), "it never held a copy")
	w.write(mine, copied("10"))
	assert.Empty(t, w.missingOf(mine))
}

// TestPlaceOfACopyThatIsNotWantedIsRemembered is about a copy that a suspended rule would delete.
func TestPlaceOfACopyThatIsNotWantedIsRemembered(t *testing.T) {
	w := newFakeWatch()
	w.list("1", copied("10"))
	w.remember(at, mine)
	assert.Empty(t, w.missingOf(mine))
	w.vanished(copied("11"))
	assert.Equal(t, []types.NamespacedName{at}, w.missingOf(mine))
	w.enqueued()

	w.remember(at, theirs)
	assert.Empty(t, w.missingOf(theirs), "another rule waits for it")
	w.changed(copied("12"))
	assert.Equal(t, rules(mine), w.enqueued(), "somebody has restored the label")
	w.beginDelete(at, mine)
	w.vanished(copied("13"))
	assert.Empty(t, w.entries)

	w.remember(at, mine)
	assert.Equal(t, []types.NamespacedName{at}, w.missingOf(mine))
	w.abort(at, mine) // the API server was asked
	assert.Empty(t, w.entries)
}

func TestPlaceOfALeftCopyIsNotMissed(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.beginDelete(at, mine)
	w.vanished(copied("11"))
	assert.Empty(t, w.missingOf(mine))
}

// After a restore of its storage, the API server counts versions from an earlier number again.
func TestStorageThatWasRestoredCounts(t *testing.T) {
	w := newFakeWatch()
	w.list("1")
	w.write(mine, copied("100"))
	w.list("200", copied("100"))
	assert.Empty(t, w.enqueued())

	w.list("60", copied("50", drifted))
	assert.Equal(t, rules(mine), w.enqueued())
	assert.Equal(t, "50", w.copiesOf(mine)[0].ResourceVersion)

	t.Run("also for what is not there any more", func(t *testing.T) {
		w.list("40")
		assert.Equal(t, rules(mine), w.enqueued())
		assert.Empty(t, w.copiesOf(mine))
	})
}

// The backup is younger than the last list, and older than what the watch has told since.
func TestStorageThatWasRestoredToATimeSinceTheLastListCounts(t *testing.T) {
	w := newFakeWatch()
	w.list("1")
	w.write(mine, copied("100"))
	w.changed(copied("150", drifted))
	w.write(mine, copied("160"))
	w.changed(copied("160"))
	w.enqueued()

	w.list("155", copied("150", drifted))
	assert.Equal(t, rules(mine), w.enqueued())
}

// TestStorageThatWasRestoredAndHasOvertakenCounts has others write so much after the restore that the list is newer than all that was known.
func TestStorageThatWasRestoredAndHasOvertakenCounts(t *testing.T) {
	w := newFakeWatch()
	w.list("1")
	w.write(mine, copied("100"))
	w.changed(copied("100"))
	w.list("150", copied("50", drifted))
	assert.Equal(t, rules(mine), w.enqueued())
	assert.False(t, w.setDesired(at, mine, wanted, ours))
}

// TestListThatIsOlderThanAnAnswerHidesNothing has the API server list before it takes a write whose answer comes first.
func TestListThatIsOlderThanAnAnswerHidesNothing(t *testing.T) {
	w := newFakeWatch()
	w.list("1")
	w.write(mine, copied("10"))
	w.changed(copied("10"))
	w.write(mine, copied("100"))
	w.list("50", copied("10", drifted))
	assert.Empty(t, w.enqueued())
	assert.True(t, w.setDesired(at, mine, wanted, ours))
}
