package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/owner"
)

func TestCopyThatWasDeletedIsNotInSyncWhateverTheWatchStillSays(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.beginDelete(at, mine)
	w.deleted(at, copied("10").UID)

	assert.False(t, w.setDesired(at, mine, wanted, ours))
	assert.Equal(t, State{}, w.beginWrite(at, mine, wanted), "there is nothing to write on")
	w.vanished(copied("11"))
	w.end(mine, wanted, stateOf(owner.Projection, copied("12")))
	assert.Empty(t, w.enqueued())
	assert.True(t, w.setDesired(at, mine, wanted, ours))
}

func TestDeletionIsOfOneObject(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.deleted(at, "uid-of-an-earlier-one")
	assert.True(t, w.setDesired(at, mine, wanted, ours))
}

func TestDeletionEventBeforeTheResponse(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.beginDelete(at, mine)
	w.vanished(copied("11"))
	w.deleted(at, copied("10").UID)
	assert.Empty(t, w.entries)
	assert.Empty(t, w.enqueued())
}

// An event from before the deletion arrives after it, and hides it.
func TestEndOfACopyThatIsWantedAgainEnqueuesTheRule(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.beginDelete(at, mine)
	w.deleted(at, "uid-of-copy")
	w.changed(copied("11"))
	require.True(t, w.setDesired(at, mine, wanted, ours))
	w.enqueued()
	w.vanished(copied("12"))
	assert.Equal(t, rules(mine), w.enqueued())
}
