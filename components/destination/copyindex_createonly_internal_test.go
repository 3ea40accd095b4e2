package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/owner"
)

func relabelled(o *metav1.PartialObjectMetadata) { o.Labels[owner.Projection.Label] = "another" }

// Somebody changes the content of a copy that only has to exist, and keeps changing its label.
func TestBackoffOfMarksTellsNothingOfTheContent(t *testing.T) {
	w := newWar(t)
	anything := AnyContent(ourUID)
	require.True(t, w.setDesired(at, mine, anything))
	restore := func() {
		w.beginWrite(at, mine, anything)
		w.repaired(at, mine, anything)
		w.end(mine, anything, stateOf(w.kind, copied(w.next(), drifted)))
	}
	for range immediateRepairs {
		w.changed(copied(w.next(), drifted, relabelled))
		_, held := w.heldRepair(at, mine, anything)
		require.False(t, held)
		restore()
	}
	w.changed(copied(w.next(), drifted, relabelled))
	held, found := w.heldRepair(at, mine, anything)
	require.True(t, found)
	w.after(held.pause)
	restore()
	held, found = w.backingOff(at)
	require.True(t, found)
	assert.Zero(t, held.fields, "they are those of whoever has changed the copy")
}

// Somebody keeps changing a copy, until the author of the rule gives in.
func TestCopyThatMayBeChangedNowIsNotHeld(t *testing.T) {
	w := newWar(t)
	_, held := w.heldRepair(at, mine, wanted)
	require.True(t, held)
	assert.True(t, w.setDesired(at, mine, AnyContent(ourUID)))
	w.change()
	assert.True(t, w.setDesired(at, mine, AnyContent(ourUID)))
}
