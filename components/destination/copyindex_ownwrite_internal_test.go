package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/owner"
)

func TestOwnWriteEnqueuesNobody(t *testing.T) {
	t.Run("its event comes after the answer", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.changed(copied("10"))
		assert.Empty(t, w.enqueued())
		assert.True(t, w.setDesired(at, mine, wanted, 0))
	})
	t.Run("its event comes before the answer", func(t *testing.T) {
		w := newFakeWatch()
		w.beginWrite(at, mine, wanted)
		w.changed(copied("10"))
		w.end(mine, wanted, stateOf(owner.Projection, copied("10")))
		assert.Empty(t, w.enqueued())
		assert.True(t, w.setDesired(at, mine, wanted, 0))
	})
	t.Run("a second write", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		before := w.beginWrite(at, mine, wanted)
		assert.Equal(t, "10", before.ResourceVersion, "it writes on the first")
		w.changed(copied("11"))
		w.end(mine, wanted, stateOf(owner.Projection, copied("11")))
		w.changed(copied("10"))
		assert.Empty(t, w.enqueued())
	})
	t.Run("a write that changes nothing", func(t *testing.T) {
		w := newFakeWatch()
		w.list("20", copied("10"))
		w.write(mine, copied("10"))
		assert.Empty(t, w.enqueued())
		assert.True(t, w.setDesired(at, mine, wanted, 0))
	})
}

func TestWriteThatWasOvertakenEnqueues(t *testing.T) {
	w := newFakeWatch()
	w.beginWrite(at, mine, wanted)
	w.changed(copied("10"))
	w.changed(copied("12", drifted))
	assert.Empty(t, w.enqueued(), "as long as the write is under way, nobody can tell")
	w.end(mine, wanted, stateOf(owner.Projection, copied("10")))
	assert.Equal(t, rules(mine), w.enqueued())
	assert.False(t, w.setDesired(at, mine, wanted, 0))
}

func TestCopyThatIsDeletedBeforeTheAnswerEnqueues(t *testing.T) {
	w := newFakeWatch()
	w.beginWrite(at, mine, wanted)
	w.changed(copied("10"))
	w.vanished(copied("11"))
	w.end(mine, wanted, stateOf(owner.Projection, copied("10")))
	assert.Equal(t, rules(mine), w.enqueued())
	assert.Empty(t, w.copiesOf(mine))
}

func TestWriteThatOvertakesADriftEnqueuesNobody(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.beginWrite(at, mine, wanted)
	w.changed(copied("11", drifted))
	w.end(mine, wanted, stateOf(owner.Projection, copied("12")))
	assert.Empty(t, w.enqueued())
	assert.True(t, w.setDesired(at, mine, wanted, 0))
}

func TestFailedWrite(t *testing.T) {
	t.Run("of a new copy leaves nothing", func(t *testing.T) {
		w := newFakeWatch()
		assert.False(t, w.beginWrite(at, mine, wanted).Exists())
		w.abort(at, mine)
		assert.Empty(t, w.entries)
	})
	t.Run("of an old copy leaves it waited for", func(t *testing.T) {
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.beginWrite(at, mine, "hash-2")
		w.abort(at, mine)
		w.changed(copied("11", drifted))
		assert.Equal(t, rules(mine), w.enqueued())
	})
}

func TestPlaceOfNobody(t *testing.T) {
	w := newFakeWatch()
	assert.False(t, w.setDesired(at, mine, wanted, ours))
	w.abort(at, mine)
	w.beginDelete(at, mine)
	w.notFound(at, mine, copied("10").UID)
	w.vanished(copied("10"))
	assert.Empty(t, w.entries)
	assert.Empty(t, w.enqueued())
}
