package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

func TestPlaceThatLostItsCopyIsRemembered(t *testing.T) {
	b := newBook()
	assert.Empty(t, b.Missing(mine))
	b.write(mine, copied("10"))
	assert.Empty(t, b.Missing(mine))

	require.NoError(t, b.Delete(copied("11"))) // deleted, or without its label
	assert.Equal(t, []types.NamespacedName{at}, b.Missing(mine))
	assert.Empty(t, b.Missing(theirs))

	b.Abort(at, mine) // the API server was asked
	assert.Empty(t, b.Missing(mine))
	assert.Empty(t, b.copies)
}

func TestPlaceIsAbsentUntilItIsWritten(t *testing.T) {
	b := newBook()
	b.BeginWrite(at, mine, wanted)
	assert.Equal(t, []types.NamespacedName{at}, b.Missing(mine))
	b.Abort(at, mine)
	assert.Empty(t, b.Missing(mine), "it never held a copy")
	b.write(mine, copied("10"))
	assert.Empty(t, b.Missing(mine))
}

func TestPlaceOfALeftCopyIsNotMissed(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	b.BeginDelete(at, mine)
	require.NoError(t, b.Delete(copied("11")))
	assert.Empty(t, b.Missing(mine))
}

// After a restore of its storage, the API server counts versions from an earlier number again.
func TestStorageThatWasRestoredCounts(t *testing.T) {
	b := newBook()
	require.NoError(t, b.Replace(nil, "1"))
	b.write(mine, copied("100"))
	require.NoError(t, b.Replace([]any{copied("100")}, "200"))
	assert.Empty(t, b.wakes())

	require.NoError(t, b.Replace([]any{copied("50", drifted)}, "60"))
	assert.Equal(t, wakes(mine), b.wakes())
	assert.Equal(t, "50", b.ByOwner(mine)[0].ResourceVersion)

	t.Run("also for what is not there any more", func(t *testing.T) {
		require.NoError(t, b.Replace([]any{}, "40"))
		assert.Equal(t, wakes(mine), b.wakes())
		assert.Empty(t, b.ByOwner(mine))
	})
}

// The backup is younger than the last list, and older than what the watch has told since.
func TestStorageThatWasRestoredToATimeSinceTheLastListCounts(t *testing.T) {
	b := newBook()
	require.NoError(t, b.Replace(nil, "1"))
	b.write(mine, copied("100"))
	require.NoError(t, b.Update(copied("150", drifted)))
	b.write(mine, copied("160"))
	require.NoError(t, b.Update(copied("160")))
	b.wakes()

	require.NoError(t, b.Replace([]any{copied("150", drifted)}, "155"))
	assert.Equal(t, wakes(mine), b.wakes())
}
