package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTwoRulesOnOnePlace(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))

	assert.False(t, w.setDesired(at, theirs, wanted, ours), "the same content is not the same owner")
	assert.Equal(t, State{}, w.beginWrite(at, theirs, "hash-2"), "another's copy is not written on")
	w.abort(at, theirs)
	assert.True(t, w.setDesired(at, mine, wanted, 0), "whoever has it keeps it")

	w.changed(copied("11", drifted))
	assert.Equal(t, rules(mine), w.enqueued(), "the other waits for the end of the copy elsewhere")
	assert.Len(t, w.copiesOf(mine), 1)
	assert.Empty(t, w.copiesOf(theirs))
}

func TestPlaceChangesHands(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.beginDelete(at, mine)
	after := copied("20", ownedBy(theirs), func(o *metav1.PartialObjectMetadata) { o.UID = "uid-of-next" })
	w.write(theirs, after)
	w.vanished(copied("15"))
	w.changed(after)
	assert.Empty(t, w.enqueued())
	assert.Empty(t, w.copiesOf(mine))
	assert.Len(t, w.copiesOf(theirs), 1)
	assert.True(t, w.setDesired(at, theirs, wanted, 0))
	assert.False(t, w.setDesired(at, mine, wanted, 0))
}

func TestCopyThatIsGivenToARuleEnqueuesIt(t *testing.T) {
	w := newFakeWatch()
	w.list("1")
	w.changed(copied("10"))
	assert.Equal(t, rules(mine), w.enqueued(), "a copy that the rule does not know of")
	w.changed(copied("11", ownedBy(theirs)))
	assert.Equal(t, rules(theirs), w.enqueued())
}

func TestDeletion(t *testing.T) {
	t.Run("enqueues nobody", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.beginDelete(at, mine)
		w.changed(copied("11", terminating))
		w.vanished(copied("12"))
		assert.Empty(t, w.enqueued())
		assert.Empty(t, w.entries)
		assert.Empty(t, w.byOwner)
	})
	t.Run("that failed leaves the copy", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.beginDelete(at, mine)
		w.abort(at, mine)
		assert.Len(t, w.copiesOf(mine), 1)
		w.changed(copied("11", drifted))
		assert.Empty(t, w.enqueued(), "nobody wants it")
		assert.False(t, w.setDesired(at, mine, wanted, 0))
		w.changed(copied("12"))
		assert.True(t, w.setDesired(at, mine, wanted, 0), "it is wanted again, and as it should be")
	})
	t.Run("of what is gone already", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.beginDelete(at, mine)
		w.notFound(at, mine, copied("10").UID)
		assert.Empty(t, w.entries)
		assert.Empty(t, w.copiesOf(mine))
		w.vanished(copied("11"))
		assert.Empty(t, w.enqueued())
	})
	t.Run("of a copy that is wanted again before it is gone", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.beginDelete(at, mine)
		w.changed(copied("11", terminating))
		assert.False(t, w.setDesired(at, mine, wanted, 0))
		assert.False(t, w.beginWrite(at, mine, wanted).Exists())
		w.abort(at, mine)
		w.vanished(copied("12"))
		assert.Equal(t, rules(mine), w.enqueued())
	})
}
