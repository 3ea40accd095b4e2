package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/owner"
)

func TestOwnWriteWakesNobody(t *testing.T) {
	t.Run("its event comes after the answer", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		require.NoError(t, b.Add(copied("10")))
		assert.Empty(t, b.wakes())
		assert.True(t, b.SetDesired(at, mine, wanted, 0))
	})
	t.Run("its event comes before the answer", func(t *testing.T) {
		b := newBook()
		b.BeginWrite(at, mine, wanted)
		require.NoError(t, b.Add(copied("10")))
		b.EndWrite(at, mine, wanted, stateOf(owner.Projection, copied("10")))
		assert.Empty(t, b.wakes())
		assert.True(t, b.SetDesired(at, mine, wanted, 0))
	})
	t.Run("a second write", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		before := b.BeginWrite(at, mine, wanted)
		assert.Equal(t, "10", before.ResourceVersion, "it writes on the first")
		require.NoError(t, b.Update(copied("11")))
		b.EndWrite(at, mine, wanted, stateOf(owner.Projection, copied("11")))
		require.NoError(t, b.Update(copied("10")))
		assert.Empty(t, b.wakes())
	})
	t.Run("a write that changes nothing", func(t *testing.T) {
		b := newBook()
		require.NoError(t, b.Replace([]any{copied("10")}, "20"))
		b.write(mine, copied("10"))
		assert.Empty(t, b.wakes())
		assert.True(t, b.SetDesired(at, mine, wanted, 0))
	})
}

func TestWriteThatWasOvertakenWakes(t *testing.T) {
	b := newBook()
	b.BeginWrite(at, mine, wanted)
	require.NoError(t, b.Add(copied("10")))
	require.NoError(t, b.Update(copied("12", drifted)))
	assert.Empty(t, b.wakes(), "as long as the write is under way, nobody can tell")
	b.EndWrite(at, mine, wanted, stateOf(owner.Projection, copied("10")))
	assert.Equal(t, wakes(mine), b.wakes())
	assert.False(t, b.SetDesired(at, mine, wanted, 0))
}

func TestCopyThatIsDeletedBeforeTheAnswerWakes(t *testing.T) {
	b := newBook()
	b.BeginWrite(at, mine, wanted)
	require.NoError(t, b.Add(copied("10")))
	require.NoError(t, b.Delete(copied("11")))
	b.EndWrite(at, mine, wanted, stateOf(owner.Projection, copied("10")))
	assert.Equal(t, wakes(mine), b.wakes())
	assert.Empty(t, b.ByOwner(mine))
}

func TestWriteThatOvertakesADriftWakesNobody(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	b.BeginWrite(at, mine, wanted)
	require.NoError(t, b.Update(copied("11", drifted)))
	b.EndWrite(at, mine, wanted, stateOf(owner.Projection, copied("12")))
	assert.Empty(t, b.wakes())
	assert.True(t, b.SetDesired(at, mine, wanted, 0))
}

func TestFailedWrite(t *testing.T) {
	t.Run("of a new copy leaves nothing", func(t *testing.T) {
		b := newBook()
		assert.False(t, b.BeginWrite(at, mine, wanted).Exists())
		b.Abort(at, mine)
		assert.Empty(t, b.copies)
	})
	t.Run("of an old copy leaves it waited for", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		b.BeginWrite(at, mine, "hash-2")
		b.Abort(at, mine)
		require.NoError(t, b.Update(copied("11", drifted)))
		assert.Equal(t, wakes(mine), b.wakes())
	})
}

func TestPlaceOfNobody(t *testing.T) {
	b := newBook()
	assert.False(t, b.SetDesired(at, mine, wanted, ours))
	b.Abort(at, mine)
	b.BeginDelete(at, mine)
	b.NotFound(at, mine, copied("10").UID)
	require.NoError(t, b.Delete(copied("10")))
	assert.Empty(t, b.copies)
	assert.Empty(t, b.wakes())
}
