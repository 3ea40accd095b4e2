package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/owner"
)

func TestCopyThatWasDeletedIsNotInStepWhateverTheWatchStillSays(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	b.BeginDelete(at, mine)
	b.Deleted(at, copied("10").UID)

	assert.False(t, b.SetDesired(at, mine, wanted, ours))
	assert.Equal(t, State{}, b.BeginWrite(at, mine, wanted), "there is nothing to write on")
	require.NoError(t, b.Delete(copied("11")))
	b.EndWrite(at, mine, wanted, stateOf(owner.Projection, copied("12")))
	assert.Empty(t, b.wakes())
	assert.True(t, b.SetDesired(at, mine, wanted, ours))
}

func TestDeletionIsOfOneObject(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	b.Deleted(at, "uid-of-an-earlier-one")
	assert.True(t, b.SetDesired(at, mine, wanted, ours))
}

func TestDeletionThatIsToldBeforeTheAnswer(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	b.BeginDelete(at, mine)
	require.NoError(t, b.Delete(copied("11")))
	b.Deleted(at, copied("10").UID)
	assert.Empty(t, b.copies)
	assert.Empty(t, b.wakes())
}

// An event from before the deletion arrives after it, and hides it.
func TestEndOfACopyThatIsWantedAgainIsNews(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	b.BeginDelete(at, mine)
	b.Deleted(at, "uid-of-copy")
	require.NoError(t, b.Update(copied("11")))
	require.True(t, b.SetDesired(at, mine, wanted, ours))
	b.wakes()
	require.NoError(t, b.Delete(copied("12")))
	assert.Equal(t, wakes(mine), b.wakes())
}
