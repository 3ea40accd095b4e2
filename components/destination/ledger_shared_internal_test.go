package destination

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

func TestTwoRulesOnOnePlace(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))

	assert.False(t, b.SetDesired(at, theirs, wanted, ours), "the same content is not the same owner")
	assert.Equal(t, State{}, b.BeginWrite(at, theirs, "hash-2"), "another's copy is not written on")
	b.Abort(at, theirs)
	assert.True(t, b.SetDesired(at, mine, wanted, 0), "whoever has it keeps it")

	require.NoError(t, b.Update(copied("11", drifted)))
	assert.Equal(t, wakes(mine), b.wakes(), "the other waits for the end of the copy elsewhere")
	assert.Len(t, b.ByOwner(mine), 1)
	assert.Empty(t, b.ByOwner(theirs))
}

func TestPlaceChangesHands(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	b.BeginDelete(at, mine)
	after := copied("20", ownedBy(theirs), func(o *metav1.PartialObjectMetadata) { o.UID = "uid-of-next" })
	b.write(theirs, after)
	require.NoError(t, b.Delete(copied("15")))
	require.NoError(t, b.Add(after))
	assert.Empty(t, b.wakes())
	assert.Empty(t, b.ByOwner(mine))
	assert.Len(t, b.ByOwner(theirs), 1)
	assert.True(t, b.SetDesired(at, theirs, wanted, 0))
	assert.False(t, b.SetDesired(at, mine, wanted, 0))
}

func TestCopyThatIsGivenToARuleWakesIt(t *testing.T) {
	b := newBook()
	require.NoError(t, b.Replace(nil, "1"))
	require.NoError(t, b.Add(copied("10")))
	assert.Equal(t, wakes(mine), b.wakes(), "a copy that the rule does not know of")
	require.NoError(t, b.Update(copied("11", ownedBy(theirs))))
	assert.Equal(t, wakes(theirs), b.wakes())
}

func TestDeletion(t *testing.T) {
	t.Run("is no news", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		b.BeginDelete(at, mine)
		require.NoError(t, b.Update(copied("11", terminating)))
		require.NoError(t, b.Delete(copied("12")))
		assert.Empty(t, b.wakes())
		assert.Empty(t, b.copies)
		assert.Empty(t, b.byOwner)
	})
	t.Run("that failed leaves the copy", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		b.BeginDelete(at, mine)
		b.Abort(at, mine)
		assert.Len(t, b.ByOwner(mine), 1)
		require.NoError(t, b.Update(copied("11", drifted)))
		assert.Empty(t, b.wakes(), "nobody wants it")
		assert.False(t, b.SetDesired(at, mine, wanted, 0))
		require.NoError(t, b.Update(copied("12")))
		assert.True(t, b.SetDesired(at, mine, wanted, 0), "it is wanted again, and as it should be")
	})
	t.Run("of what is gone already", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		b.BeginDelete(at, mine)
		b.NotFound(at, mine, copied("10").UID)
		assert.Empty(t, b.copies)
		assert.Empty(t, b.ByOwner(mine))
		require.NoError(t, b.Delete(copied("11")))
		assert.Empty(t, b.wakes())
	})
	t.Run("of a copy that is wanted again before it is gone", func(t *testing.T) {
		b := newBook()
		b.write(mine, copied("10"))
		b.BeginDelete(at, mine)
		require.NoError(t, b.Update(copied("11", terminating)))
		assert.False(t, b.SetDesired(at, mine, wanted, 0))
		assert.False(t, b.BeginWrite(at, mine, wanted).Exists())
		b.Abort(at, mine)
		require.NoError(t, b.Delete(copied("12")))
		assert.Equal(t, wakes(mine), b.wakes())
	})
}

func TestLedgerServesManyAtOnce(t *testing.T) {
	var mu sync.Mutex
	woken := 0
	l := newCopyCache(owner.Projection, func(watch.RuleKey, watch.Trigger, time.Time) {
		mu.Lock()
		defer mu.Unlock()
		woken++
	})
	var rules sync.WaitGroup
	for i := range 16 {
		rule := types.NamespacedName{Namespace: "here", Name: strconv.Itoa(i)}
		place := types.NamespacedName{Namespace: "here", Name: "copy-" + rule.Name}
		object := func(version int) *metav1.PartialObjectMetadata {
			return copied(strconv.Itoa(version), ownedBy(rule), func(o *metav1.PartialObjectMetadata) { o.Name = place.Name })
		}
		rules.Go(func() {
			for version := 10; version < 200; version++ {
				l.BeginWrite(place, rule, wanted)
				assert.Nil(t, l.Update(object(version))) //nolint:testifylint // require may not end another goroutine
				l.EndWrite(place, rule, wanted, stateOf(owner.Projection, object(version)))
				assert.True(t, l.SetDesired(place, rule, wanted, 0))
				assert.Len(t, l.ByOwner(rule), 1)
				assert.Empty(t, l.Released(ourUID))
			}
			l.BeginDelete(place, rule)
			assert.Nil(t, l.Delete(object(200))) //nolint:testifylint // require may not end another goroutine
			assert.Empty(t, l.ByOwner(rule))
		})
	}
	rules.Wait()
	assert.Zero(t, woken)
	assert.Empty(t, l.copies)
}
