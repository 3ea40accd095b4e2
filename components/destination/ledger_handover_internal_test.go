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

func (b *book) requireWatchedForTheirs(t *testing.T, drift, end *metav1.PartialObjectMetadata) {
	t.Helper()
	b.wakes()
	require.True(t, b.SetDesired(at, theirs, wanted, 0))
	require.NoError(t, b.Update(drift))
	assert.Equal(t, wakes(theirs), b.wakes(), "it drifts")
	require.NoError(t, b.Delete(end))
	assert.Equal(t, wakes(theirs), b.wakes(), "it is deleted")
}

func TestDeletionByTheEarlierOwnerChangesNothing(t *testing.T) {
	t.Run("of a copy that was handed over and written", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		require.NoError(t, b.Update(copied("11", ownedBy(theirs))))
		b.write(theirs, copied("12", ownedBy(theirs)))
		b.BeginDelete(at, mine)
		b.Abort(at, mine)
		b.requireWatchedForTheirs(t, copied("13", ownedBy(theirs), drifted), copied("14", ownedBy(theirs)))
	})
	t.Run("of a copy that is handed over and written meanwhile", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		b.BeginDelete(at, mine)
		require.NoError(t, b.Update(copied("11", ownedBy(theirs))))
		assert.Equal(t, wakes(theirs), b.wakes(), "it is the other's to look after")
		b.write(theirs, copied("12", ownedBy(theirs)))
		b.Abort(at, mine)
		b.requireWatchedForTheirs(t, copied("13", ownedBy(theirs), drifted), copied("14", ownedBy(theirs)))
	})
	t.Run("of a copy that is handed over as the other wants it", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		b.BeginDelete(at, mine)
		require.NoError(t, b.Update(copied("11", ownedBy(theirs))))
		fields := stateOf(owner.Projection, copied("11", ownedBy(theirs))).Fields
		require.True(t, b.SetDesired(at, theirs, wanted, fields))
		b.Abort(at, mine)
		b.requireWatchedForTheirs(t, copied("13", ownedBy(theirs), drifted), copied("14", ownedBy(theirs)))
	})
	t.Run("of a copy that is gone, where the other has its own", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		require.NoError(t, b.Delete(copied("11")))
		b.write(theirs, successor("12"))
		b.NotFound(at, mine, copied("10").UID)
		b.Abort(at, mine)
		b.requireWatchedForTheirs(t, successor("13", drifted), successor("14"))
	})
	t.Run("of a copy that was handed over and is gone", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		b.write(theirs, copied("12", ownedBy(theirs)))
		b.NotFound(at, mine, copied("10").UID)
		b.requireWatchedForTheirs(t, copied("13", ownedBy(theirs), drifted), copied("14", ownedBy(theirs)))
	})
}

func TestGoneIsOneObject(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	b.NotFound(at, mine, "uid-of-an-earlier-one")
	assert.Len(t, b.ByOwner(mine), 1)
}

func TestAnswerThatComesAfterAHandOver(t *testing.T) {
	b := newBook()
	b.BeginWrite(at, mine, wanted)
	require.NoError(t, b.Add(copied("10")))
	require.NoError(t, b.Update(copied("11", ownedBy(theirs))))
	b.write(theirs, copied("12", ownedBy(theirs)))
	b.wakes()
	b.EndWrite(at, mine, wanted, stateOf(owner.Projection, copied("10")))
	assert.Equal(t, wakes(mine), b.wakes(), "its write was overtaken")
	b.Abort(at, mine) // it finds a stranger there
	b.requireWatchedForTheirs(t, copied("13", ownedBy(theirs), drifted), copied("14", ownedBy(theirs)))
}

func TestRuleWhoseCopyHasGivenWayIsWoken(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	b.BeginWrite(at, theirs, wanted)
	b.EndWrite(at, theirs, wanted, stateOf(owner.Projection, successor("12")))
	require.NoError(t, b.Delete(copied("11")))
	assert.Equal(t, wakes(mine), b.wakes())
	assert.True(t, b.SetDesired(at, theirs, wanted, 0))
}

func TestForgottenRuleWantsNothing(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	require.NoError(t, b.Delete(copied("11")))
	b.wakes()
	b.Forget(mine)
	assert.Empty(t, b.Missing(mine))
	assert.Empty(t, b.copies)

	require.NoError(t, b.Add(copied("12")))
	assert.Equal(t, wakes(mine), b.wakes(), "a copy that is written late is news")
	b.write(mine, copied("12"))
	b.Forget(mine)
	require.NoError(t, b.Update(copied("13", drifted)))
	assert.Empty(t, b.wakes())
	assert.Len(t, b.ByOwner(mine), 1, "the copy is still known")

	b.write(theirs, successor("20"))
	b.Forget(mine)
	b.requireWatchedForTheirs(t, successor("21", drifted), successor("22"))
}

// Nobody passes by such a place: the rule that gave it up has no plan for it.
func TestCopyThatComesBackToARuleThatWantsNoneIsNews(t *testing.T) {
	t.Run("handed over and back", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		require.NoError(t, b.Update(copied("11", handedOver)))
		assert.Equal(t, wakes(mine), b.wakes())
		b.BeginWrite(at, mine, wanted)
		b.Abort(at, mine)
		require.NoError(t, b.Update(copied("12")))
		assert.Equal(t, wakes(mine), b.wakes())
	})
	t.Run("another object in the place of one that was deleted", func(t *testing.T) {
		b := newBook()
		require.NoError(t, b.Replace(nil, "1"))
		b.write(mine, copied("10"))
		b.BeginDelete(at, mine)
		require.NoError(t, b.Replace([]any{copied("20", func(o *metav1.PartialObjectMetadata) { o.UID = "uid-of-next" })}, "20"))
		assert.Equal(t, wakes(mine), b.wakes())
	})
}
