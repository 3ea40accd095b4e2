package destination

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// war is a cache whose copy somebody keeps changing.
type war struct {
	*fakeWatch
	*timer
	t       *testing.T
	version int
}

// newWar returns one whose next repair waits.
func newWar(t *testing.T) *war {
	t.Helper()
	w := &war{fakeWatch: newFakeWatch(), timer: newTimer(), t: t, version: 10}
	w.repairs.clock = w.timer.clock
	w.repair(wanted)
	for range immediateRepairs {
		w.change()
		_, held := w.heldRepair(at, mine, wanted)
		require.False(t, held)
		require.True(t, w.repair(wanted))
	}
	w.change()
	return w
}

func (w *war) next() string {
	w.version++
	return strconv.Itoa(w.version)
}

// change lets the rival take a field of ours.
func (w *war) change() {
	w.t.Helper()
	w.changed(copied(w.next(), drifted, w.byRival))
}

func (w *war) byRival(o *metav1.PartialObjectMetadata) {
	entry := applied("rival", ourSet)
	entry.Time = &metav1.Time{Time: w.now}
	o.ManagedFields = append(o.ManagedFields, entry)
}

// repair writes the content, and reports whether that was a repair.
func (w *war) repair(hash string) bool {
	w.beginWrite(at, mine, hash)
	_, isRepair := w.repaired(at, mine, hash)
	w.end(mine, hash, w.written(hash))
	return isRepair
}

func (w *war) written(hash string) State {
	return stateOf(w.kind, copied(w.next(), func(o *metav1.PartialObjectMetadata) { o.Annotations[v1.AnnotationContentHash] = hash }))
}

func TestFourthRepairWaits(t *testing.T) {
	w := newWar(t)
	assert.Equal(t, rules(mine, mine, mine, mine), w.enqueued())
	assert.False(t, w.setDesired(at, mine, wanted, 0))
	held, found := w.heldRepair(at, mine, wanted)
	require.True(t, found)
	assert.Equal(t, backoff{drift: drift{changedBy: "rival"}, pause: 2 * time.Second}, held)

	w.after(time.Second)
	w.change()
	assert.Empty(t, w.enqueued(), "the rule knows it")
	held, _ = w.heldRepair(at, mine, wanted)
	assert.Equal(t, time.Second, held.pause)

	w.after(time.Second)
	_, found = w.heldRepair(at, mine, wanted)
	assert.False(t, found)
	assert.True(t, w.repair(wanted))
	assert.False(t, w.setDesired(at, mine, wanted, 0), "it is not known to last")
	held, _ = w.heldRepair(at, mine, wanted)
	assert.Equal(t, backoff{drift: drift{changedBy: "rival"}, pause: 4 * time.Second, fields: ours}, held)
	w.after(4 * time.Second)
	assert.True(t, w.setDesired(at, mine, wanted, 0))
}

func TestAnswerToADelayedRepairKeepsItBackingOff(t *testing.T) {
	w := newWar(t)
	for _, seconds := range []int64{2, 4, 8, 16, 30, 30} {
		held, found := w.heldRepair(at, mine, wanted)
		require.True(t, found)
		assert.InDelta(t, seconds, held.pause.Seconds(), 0)
		w.after(held.pause)
		w.repair(wanted)
		w.enqueued()
		w.change()
		assert.Empty(t, w.enqueued())
	}
}

func TestWhatIsNoRepairDoesNotWait(t *testing.T) {
	tests := map[string]func(w *war) string{
		"new content":                 func(*war) string { return "hash-2" },
		"a copy that was handed over": func(w *war) string { return w.told(copied(w.next(), handedOver)) },
		"another rule's copy":         func(w *war) string { return w.told(copied(w.next(), ownedBy(theirs))) },
		"a copy that is being deleted": func(w *war) string {
			return w.told(copied(w.next(), drifted, terminating))
		},
		"a copy that is not wanted any more": func(w *war) string {
			w.beginDelete(at, mine)
			return wanted
		},
		"a rule that has ended": func(w *war) string {
			w.forget(mine)
			return wanted
		},
	}
	for name, happens := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWar(t)
			hash := happens(w)
			assert.False(t, w.setDesired(at, mine, hash, ours))
			_, held := w.heldRepair(at, mine, hash)
			assert.False(t, held)
			if hash != wanted {
				assert.False(t, w.repair(hash))
			}
		})
	}
}

// told takes an event of the copy, and returns what is wanted still.
func (w *war) told(object *metav1.PartialObjectMetadata) string {
	w.t.Helper()
	w.heldRepair(at, mine, wanted)
	w.enqueued()
	w.changed(object)
	assert.Contains(w.t, w.enqueued(), mine, "this is news")
	return wanted
}

func TestNewContentDoesNotEndTheBackoff(t *testing.T) {
	w := newWar(t)
	w.heldRepair(at, mine, wanted)
	assert.False(t, w.repair("hash-2"))
	held, found := w.backingOff(at)
	outcome := writeEnd{backingOff: found, backoff: held}.failure(Outcome{Place: Place{NamespacedName: at}, Action: Updated})
	assert.Equal(t, v1.ReasonDestinationConflict, outcome.Reason)
	assert.Equal(t, 2*time.Second, outcome.RetryAfter)
	assert.Equal(t, Updated, outcome.Action)
	assert.Equal(t, ours, outcome.Fields)
}

func TestDeletionsOfACopyBackOff(t *testing.T) {
	w := newWar(t)
	w.vanished(copied(w.next()))
	held, found := w.heldRepair(at, mine, wanted)
	require.True(t, found)
	assert.Equal(t, drift{deleted: true}, held.drift, "who deleted it is not known, whoever wrote it last")
	_, found = w.heldRepair(at, mine, "hash-2")
	assert.False(t, found, "new content is never held")
	assert.Equal(t, rules(mine, mine, mine, mine, mine), w.enqueued())
	assert.Equal(t, State{ResourceVersion: strconv.Itoa(w.version)}, w.beginWrite(at, mine, wanted), "the next write creates")
}

func TestWhoUndidARepairBeforeItsAnswerIsRemembered(t *testing.T) {
	w := newWar(t)
	w.beginWrite(at, mine, wanted)
	answer := w.written(wanted)
	w.change()
	w.repaired(at, mine, wanted)
	w.end(mine, wanted, answer)
	w.changed(copied(w.next(), drifted, w.byRival)) // the status has changed
	held, found := w.heldRepair(at, mine, wanted)
	require.True(t, found)
	assert.Equal(t, drift{changedBy: "rival"}, held.drift)
}

func TestWriteThatIsAlwaysOvertakenCountsAsARepair(t *testing.T) {
	w := newFakeWatch()
	for range immediateRepairs {
		w.beginWrite(at, mine, wanted)
		w.changed(copied("10", drifted))
		_, held := w.heldRepair(at, mine, wanted)
		require.False(t, held)
		w.abort(at, mine)
		w.overtaken(at, mine, wanted)
	}
	_, held := w.heldRepair(at, mine, wanted)
	assert.True(t, held)
}

func TestWhatARuleReportsOfABackoff(t *testing.T) {
	const rest = "; its repair is delayed by up to 30 seconds; stop that writer, or take what it changes out of the source"
	tests := map[string]struct {
		drift   drift
		message string
	}{
		"a known manager": {drift{changedBy: "kubectl-edit"}, `field manager "kubectl-edit" keeps changing the copy` + rest},
		"somebody":        {drift{}, "somebody keeps changing the copy" + rest},
		"deletions":       {drift{deleted: true}, "somebody keeps deleting the copy, or its label; it is created again after up to 30 seconds; stop that, or delete the rule"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			outcome := backoff{drift: test.drift, pause: time.Second, fields: ours}.failure(Outcome{Place: Place{NamespacedName: at}})
			assert.Equal(t, Outcome{Place: Place{NamespacedName: at}, Reason: v1.ReasonDestinationConflict, Message: test.message, RetryAfter: time.Second, Fields: ours}, outcome)
		})
	}
}
