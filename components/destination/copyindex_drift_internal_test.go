package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func rules(rules ...types.NamespacedName) []types.NamespacedName { return rules }

func TestWhatOthersDoToACopy(t *testing.T) {
	tests := map[string]struct {
		change   func(*metav1.PartialObjectMetadata)
		enqueued []types.NamespacedName
	}{
		"nothing": {func(*metav1.PartialObjectMetadata) {}, nil},
		"additions of another manager": {func(o *metav1.PartialObjectMetadata) {
			o.Labels["theirs"], o.Annotations["theirs"] = "1", "1"
			o.ManagedFields = append(o.ManagedFields, applied("somebody", otherSet))
		}, nil},
		"a finalizer":           {func(o *metav1.PartialObjectMetadata) { o.Finalizers = []string{"theirs"} }, nil},
		"a new generation":      {func(o *metav1.PartialObjectMetadata) { o.Generation = 7 }, nil},
		"the time of our entry": {func(o *metav1.PartialObjectMetadata) { o.ManagedFields[0].Time = &metav1.Time{} }, nil},
		"a field of ours":       {drifted, rules(mine)},
		"all of our fields":     {func(o *metav1.PartialObjectMetadata) { o.ManagedFields = nil }, rules(mine)},
		"the content hash":      {func(o *metav1.PartialObjectMetadata) { o.Annotations["projection.sh/content-hash"] = "x" }, rules(mine)},
		"a hand-over":           {handedOver, rules(mine)},
		"another owner":         {ownedBy(theirs), rules(mine, theirs)},
		"an end that is near":   {terminating, rules(mine)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFakeWatch()
			w.write(mine, copied("10"))
			w.changed(copied("11", test.change))
			assert.Equal(t, test.enqueued, w.enqueued())
			inSync := w.setDesired(at, mine, wanted, 0)
			assert.Equal(t, test.enqueued == nil, inSync, "it is in sync as long as nobody is enqueued")
		})
	}
}

func TestEveryOtherDriftEnqueues(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.changed(copied("11", drifted))
	w.changed(copied("12", terminating))
	assert.Equal(t, rules(mine, mine), w.enqueued())
	w.changed(copied("13", terminating))
	assert.Empty(t, w.enqueued(), "the rule has been told, and nothing but the version has changed")
	w.changed(copied("14"))
	assert.Empty(t, w.enqueued(), "somebody put it right")
	assert.True(t, w.setDesired(at, mine, wanted, 0))
}

func TestCopyThatVanishes(t *testing.T) {
	tests := map[string]func(*fakeWatch){
		"deleted":                    func(w *fakeWatch) { w.vanished(copied("11")) },
		"its label was removed":      func(w *fakeWatch) { w.vanished(copied("11")) },
		"missing when listed afresh": func(w *fakeWatch) { w.list("11") },
	}
	for name, vanish := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFakeWatch()
			w.list("1")
			w.write(mine, copied("10"))
			vanish(w)
			assert.Equal(t, rules(mine), w.enqueued())
			assert.Empty(t, w.copiesOf(mine))
			assert.False(t, w.setDesired(at, mine, wanted, 0))
			assert.Equal(t, State{ResourceVersion: "11"}, w.beginWrite(at, mine, wanted), "the next write creates")
		})
	}
}

func TestStaleEventsAreIgnored(t *testing.T) {
	w := newFakeWatch()
	w.list("1")
	w.write(mine, copied("10"))
	w.changed(copied("9", drifted))
	w.vanished(copied("9"))
	w.list("9")
	w.list("9", copied("9", drifted))
	w.changed(copied("10", drifted))
	assert.Empty(t, w.enqueued())
	assert.True(t, w.setDesired(at, mine, wanted, 0))
}

func TestTerminatingCopyIsNotWrittenOn(t *testing.T) {
	w := newFakeWatch()
	w.changed(copied("10", terminating))
	w.enqueued()
	assert.False(t, w.setDesired(at, mine, wanted, ours))
	assert.False(t, w.beginWrite(at, mine, wanted).Exists())
	w.abort(at, mine)
	w.vanished(copied("11"))
	assert.Equal(t, rules(mine), w.enqueued(), "its end is waited for")
}

func TestReleasedCopyIsNoCopy(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.changed(copied("11", handedOver))
	assert.Empty(t, w.copiesOf(mine))
	assert.Equal(t, rules(mine), w.enqueued())

	assert.False(t, w.beginWrite(at, mine, wanted).Exists(), "it is not written on")
	w.abort(at, mine)
	assert.Empty(t, w.entries, "it concerns no rule")
	w.changed(copied("12", handedOver))
	assert.Empty(t, w.enqueued(), "it is not waited for any more")
	w.changed(copied("13"))
	require.Len(t, w.copiesOf(mine), 1, "it was given back")
}

func TestCopyOfAnotherNamespacesRuleIsNobodys(t *testing.T) {
	w := newFakeWatch()
	elsewhere := types.NamespacedName{Namespace: "elsewhere", Name: "rule"}
	w.list("1")
	w.changed(copied("10", ownedBy(elsewhere)))
	assert.Empty(t, w.enqueued())
	assert.Empty(t, w.copiesOf(elsewhere))
}
