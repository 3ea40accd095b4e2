package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestAfterARestart(t *testing.T) {
	wiped := func(o *metav1.PartialObjectMetadata) { o.ManagedFields = nil }
	tests := map[string]struct {
		copy   *metav1.PartialObjectMetadata
		rule   types.NamespacedName
		hash   string
		fields Fields
		inStep bool
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
			b := newBook()
			require.NoError(t, b.Replace([]any{test.copy}, "20"))
			assert.Empty(t, b.wakes(), "every rule has its pass anyway")
			inStep := b.SetDesired(at, test.rule, test.hash, test.fields)
			assert.Equal(t, test.inStep, inStep)
		})
	}
}

func TestListAfreshWakesForWhatHasChanged(t *testing.T) {
	b := newBook()
	require.NoError(t, b.Replace(nil, "1"))
	b.write(mine, copied("10"))
	require.NoError(t, b.Replace([]any{copied("10")}, "20"))
	assert.Empty(t, b.wakes())
	require.NoError(t, b.Replace([]any{copied("21", drifted)}, "22"))
	assert.Equal(t, wakes(mine), b.wakes())
}

func TestFieldsOfTheOwnWriteCountOnceThereIsOne(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	assert.True(t, b.SetDesired(at, mine, wanted, ours+1), "what the status says is older than the write")
}

func TestCopiesAreListedInOrder(t *testing.T) {
	b := newBook()
	places := []types.NamespacedName{
		{Namespace: "here", Name: "b"}, {Namespace: "here", Name: "a"}, {Namespace: "here", Name: "c"},
	}
	for _, place := range places {
		require.NoError(t, b.Add(copied("10", func(o *metav1.PartialObjectMetadata) { o.Name = place.Name })))
	}
	var names []string
	for _, c := range b.ByOwner(mine) {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"a", "b", "c"}, names)
	assert.Empty(t, b.ByOwner(theirs))
}
