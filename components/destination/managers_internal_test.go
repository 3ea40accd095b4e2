package destination

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// entry is one of managedFields, of that second.
func managed(manager, subresource string, second int64) metav1.ManagedFieldsEntry {
	entry := applied(manager, otherSet)
	entry.Subresource, entry.Time = subresource, &metav1.Time{Time: time.Unix(second, 0)}
	return entry
}

func TestWhoChangedACopy(t *testing.T) {
	before := []metav1.ManagedFieldsEntry{managed("old", "", 5)}
	tests := map[string]struct {
		after []metav1.ManagedFieldsEntry
		by    string
	}{
		"a newcomer":                            {[]metav1.ManagedFieldsEntry{managed("old", "", 5), managed("new", "", 9)}, "new"},
		"one that was there":                    {[]metav1.ManagedFieldsEntry{managed("old", "", 9)}, "old"},
		"one that was there, of several":        {[]metav1.ManagedFieldsEntry{managed("new", "", 7), managed("old", "", 9)}, "old"},
		"by the scale":                          {[]metav1.ManagedFieldsEntry{managed("old", "", 5), managed("hpa", "scale", 9)}, "hpa"},
		"beside whoever writes the status":      {[]metav1.ManagedFieldsEntry{managed("new", "", 7), managed("controller", "status", 9)}, "new"},
		"a field was removed, which no one has": {before, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFakeWatch()
			w.write(mine, copied("10", func(o *metav1.PartialObjectMetadata) { o.ManagedFields = append(o.ManagedFields, before...) }))
			w.changed(copied("11", drifted, func(o *metav1.PartialObjectMetadata) { o.ManagedFields = append(o.ManagedFields, test.after...) }))
			undone, isRepair := w.repaired(at, mine, wanted)
			assert.True(t, isRepair)
			assert.Equal(t, test.by, undone.changedBy)
		})
	}
}

func TestOthersAreNotWeAndNotTheStatus(t *testing.T) {
	const ours = "Projection/here/mine"
	of := func(entries ...metav1.ManagedFieldsEntry) uint32 {
		return othersOf(&metav1.ObjectMeta{ManagedFields: entries}, ours)
	}
	assert.Zero(t, of())
	assert.Zero(t, of(applied(ours, ourSet), managed("controller", "status", 1)))
	assert.NotZero(t, of(applied(ours, ourSet), applied("a", ourSet)))
	assert.Equal(t, of(managed("a", "", 1), managed("b", "", 2)), of(managed("b", "", 2), managed("a", "", 1)))
	assert.NotEqual(t, of(managed("a", "", 1)), of(managed("a", "", 2)))
	assert.Empty(t, latestManager(&metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{applied(ours, ourSet)}}, ours))
}
