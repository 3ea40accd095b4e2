package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
)

func TestAfterARestart(t *testing.T) {
	wiped := func(o *metav1.PartialObjectMetadata) { o.ManagedFields = nil }
	tests := map[string]struct {
		copy   *metav1.PartialObjectMetadata
		rule   types.NamespacedName
		hash   string
		fields Fields
		inSync bool
	}{
		"nothing has changed":                            {copied("10"), mine, wanted, ours, true},
		"the source has changed":                         {copied("10"), mine, "hash-2", ours, false},
		"somebody took a field":                          {copied("10", drifted), mine, wanted, ours, false},
		"what we owned is not known":                     {copied("10"), mine, wanted, 0, false},
		"what we owned is not known, and we own nothing": {copied("10", wiped), mine, wanted, 0, false},
		"we own nothing any more":                        {copied("10", wiped), mine, wanted, ours, false},
		"the copy is another rule's":                     {copied("10", ownedBy(theirs)), mine, wanted, ours, false},
		"the copy was handed over":                       {copied("10", handedOver), mine, wanted, ours, false},
		"the copy is about to go":                        {copied("10", terminating), mine, wanted, ours, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFakeWatch()
			w.list("20", test.copy)
			assert.Empty(t, w.enqueued(), "every rule has its pass anyway")
			inSync := w.setDesired(at, test.rule, test.hash, test.fields)
			assert.Equal(t, test.inSync, inSync)
		})
	}
}

func TestAfterARestartWithCopiesOfDifferentFieldSets(t *testing.T) {
	drifts := stateOf(owner.Projection, copied("10", drifted)).Fields
	tests := map[string]struct {
		known  []Fields
		inSync bool
	}{
		"one of two":       {[]Fields{ours - 1, ours}, true},
		"none of two":      {[]Fields{ours - 1, drifts}, false},
		"one, another one": {[]Fields{drifts}, false},
		"none":             {nil, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFakeWatch()
			w.list("20", copied("10"))
			assert.Equal(t, test.inSync, w.setDesired(at, mine, wanted, test.known...))
		})
	}
}

func TestKnownFieldSetOfAnotherCopyIsDrift(t *testing.T) {
	drifts := stateOf(owner.Projection, copied("10", drifted)).Fields
	w := newFakeWatch()
	w.list("20", copied("10"))
	assert.True(t, w.setDesired(at, mine, wanted, ours, drifts))
	w.changed(copied("21", drifted))
	assert.Equal(t, rules(mine), w.enqueued())
	assert.False(t, w.setDesired(at, mine, wanted, ours, drifts))
}

func TestListAfreshEnqueuesForWhatHasChanged(t *testing.T) {
	w := newFakeWatch()
	w.list("1")
	w.write(mine, copied("10"))
	w.list("20", copied("10"))
	assert.Empty(t, w.enqueued())
	w.list("22", copied("21", drifted))
	assert.Equal(t, rules(mine), w.enqueued())
}

func TestFieldsOfTheOwnWriteCountOnceThereIsOne(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	assert.True(t, w.setDesired(at, mine, wanted, ours+1), "what the status says is older than the write")
}

func TestCopiesAreListedInOrder(t *testing.T) {
	w := newFakeWatch()
	places := []types.NamespacedName{
		{Namespace: "here", Name: "b"}, {Namespace: "here", Name: "a"}, {Namespace: "here", Name: "c"},
	}
	for _, place := range places {
		w.changed(copied("10", func(o *metav1.PartialObjectMetadata) { o.Name = place.Name }))
	}
	var names []string
	for _, c := range w.copiesOf(mine) {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"a", "b", "c"}, names)
	assert.Empty(t, w.copiesOf(theirs))
}

// The copy is created and deleted again, and the watch starts over, before the answer to its creation comes.
func TestAnswerThatIsOlderThanAListIsNoCopy(t *testing.T) {
	w := newFakeWatch()
	w.list("1")
	w.beginWrite(at, mine, wanted)
	w.list("12")
	w.end(mine, wanted, stateOf(w.kind, copied("10")))
	assert.Equal(t, rules(mine), w.enqueued())
	assert.Empty(t, w.copiesOf(mine))
	assert.False(t, w.setDesired(at, mine, wanted, ours))
}

// TestAnswerWithoutOurLabelIsACopy has admission remove our label, so that the watch never shows the copy.
func TestAnswerWithoutOurLabelIsACopy(t *testing.T) {
	w := newFakeWatch()
	w.list("100")
	w.beginWrite(at, mine, wanted)
	w.end(mine, wanted, stateOf(w.kind, copied("10", func(o *metav1.PartialObjectMetadata) { o.Labels = nil })))
	assert.Empty(t, w.enqueued(), "the rule would write the copy again and again")
	assert.True(t, w.setDesired(at, mine, wanted, ours))
}
