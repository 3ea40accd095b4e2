package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/owner"
)

func TestCopyThatWasRetainedIsNotInSyncWhateverTheWatchStillSays(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.beginDelete(at, mine)
	w.retained(at, stateOf(owner.Projection, copied("10")))

	assert.False(t, w.setDesired(at, mine, wanted, ours))
	assert.Equal(t, State{}, w.beginWrite(at, mine, wanted), "there is nothing of the rule's to write on")
	w.vanished(copied("11"))
	w.abort(at, mine)
	assert.Empty(t, w.enqueued(), "the rule's own request enqueues nobody")
}

func TestHandOverIsOfOneObject(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	earlier := stateOf(owner.Projection, copied("10"))
	earlier.UID = "uid-of-an-earlier-one"
	w.retained(at, earlier)
	assert.True(t, w.setDesired(at, mine, wanted, ours))
}

func TestEndOfTheLabelBeforeTheAnswer(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.beginDelete(at, mine)
	w.vanished(copied("11"))
	w.retained(at, stateOf(owner.Projection, copied("10")))
	assert.Empty(t, w.entries)
	assert.Empty(t, w.enqueued())
}

func TestKeptCopyIsInSyncWhateverItHolds(t *testing.T) {
	anything := AnyContent(ourUID)
	for name, change := range map[string]func(*fakeWatch){
		"another field":   func(w *fakeWatch) { w.changed(copied("11", drifted)) },
		"another version": func(w *fakeWatch) { w.changed(copied("11")) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newFakeWatch()
			w.write(mine, copied("10"))
			assert.True(t, w.setDesired(at, mine, anything))
			change(w)
			assert.Empty(t, w.enqueued())
			assert.True(t, w.setDesired(at, mine, anything))
		})
	}
	w := newFakeWatch()
	w.write(mine, copied("10"))
	assert.True(t, w.setDesired(at, mine, anything))
	w.vanished(copied("11"))
	assert.Equal(t, rules(mine), w.enqueued(), "its label or the whole of it is gone")
	assert.False(t, w.setDesired(at, mine, anything))
}

// Somebody changes a copy that is kept, and takes its label off. The rule restores the label. Then it wants the content that the copy had.
func TestLabelThatIsRestoredMakesNoContentOurs(t *testing.T) {
	anything := AnyContent(ourUID)
	w := newFakeWatch()
	w.write(mine, copied("10"))
	assert.True(t, w.setDesired(at, mine, anything))
	w.vanished(copied("11"))
	w.beginWrite(at, mine, anything)
	w.end(mine, anything, stateOf(owner.Projection, copied("12", drifted)))
	assert.True(t, w.setDesired(at, mine, anything))
	assert.False(t, w.setDesired(at, mine, wanted, ours))
}
