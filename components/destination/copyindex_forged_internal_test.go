package destination

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
)

// forged returns an object that somebody has given our label, and no annotation.
func forged(number, version int) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "theirs", Name: "forged-" + strconv.Itoa(number),
		UID: types.UID("uid-" + strconv.Itoa(number)), ResourceVersion: strconv.Itoa(version),
		Labels: map[string]string{owner.Projection.Label: "x"},
	}}
}

// TestForgedLabelsCostNoMemory shows the index 50,000 objects that bear our label and concern no rule, and edits each of them.
func TestForgedLabelsCostNoMemory(t *testing.T) {
	const count = 50_000
	w := newFakeWatch()
	w.list("1", copied("1"))
	w.enqueued()
	before := heap()
	for i := range count {
		w.changed(forged(i, 10+i))
	}
	for i := range count {
		w.changed(forged(i, 10+count+i))
	}
	held := int64(heap()) - int64(before)
	assert.Len(t, w.entries, 1, "the copy")
	assert.Less(t, held, int64(1<<20), "bytes")
	assert.Empty(t, w.enqueued())
	for i := range count {
		w.vanished(forged(i, 10+2*count+i))
	}
	assert.Empty(t, w.enqueued())
	assert.Len(t, w.copiesOf(mine), 1)
	runtime.KeepAlive(w)
}

// TestForgedLabelsInAListCostNoMemory lists such objects when the watch begins, and when it starts over.
func TestForgedLabelsInAListCostNoMemory(t *testing.T) {
	w := newFakeWatch()
	list := []metav1.Object{copied("1")}
	for i := range 100 {
		list = append(list, forged(i, 10+i))
	}
	w.list("200", list...)
	w.list("300", list...)
	assert.Len(t, w.entries, 1)
	assert.Empty(t, w.enqueued())
}

// heap returns how many bytes are in use once what is not in use is freed.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func TestObjectsAreCountedByTheRuleThatTheyName(t *testing.T) {
	w := newFakeWatch()
	named := func(name string, changes ...func(*metav1.PartialObjectMetadata)) *metav1.PartialObjectMetadata {
		return copied("10", append(changes, func(o *metav1.PartialObjectMetadata) { o.Name, o.UID = name, types.UID(name) })...)
	}
	w.changed(named("copy"))
	w.changed(named("another"))
	w.changed(named("nobody has applied it", unapplied))
	w.changed(named("made from a copy", placedAt("there/settings")))
	w.changed(named("released", handedOver))
	w.changed(named("theirs", ownedBy(theirs)))
	assert.Equal(t, map[types.NamespacedName]int{mine: 3, theirs: 1}, w.countByOwner())
}
