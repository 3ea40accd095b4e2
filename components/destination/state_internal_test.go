package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/owner"
)

func TestStateOfACopy(t *testing.T) {
	state := stateOf(owner.Projection, copied("10"))
	assert.NotZero(t, state.Fields)
	assert.Equal(t, State{UID: "uid-of-copy", ResourceVersion: "10", Owner: mine, Content: wanted, Fields: ours, Proven: true, Labelled: true, Label: digestOf(string(ourUID))}, state)
	assert.True(t, state.Exists())
	assert.True(t, stateOf(owner.Projection, copied("10", terminating)).Terminating)
	assert.False(t, State{ResourceVersion: "10"}.Exists())
}

func TestStateOfAnObjectWithoutOwner(t *testing.T) {
	state := stateOf(owner.Projection, copied("10", handedOver))
	assert.Equal(t, State{UID: "uid-of-copy", ResourceVersion: "10", Content: wanted, Labelled: true, Label: digestOf(string(ourUID))}, state)
	assert.Zero(t, stateOf(owner.ClusterProjection, copied("10")).Owner, "the other kind of rule sees a foreign object")
}

func TestFieldsAreThoseOfTheRulesOwnEntry(t *testing.T) {
	rule := owner.Identity{Kind: owner.Projection, Namespace: "here", Name: "mine"}
	const manager = "Projection/here/mine"
	changed := func(change func(*metav1.ManagedFieldsEntry)) metav1.ManagedFieldsEntry {
		entry := applied(manager, ourSet)
		change(&entry)
		return entry
	}
	tests := map[string]struct {
		entries []metav1.ManagedFieldsEntry
		same    bool
		unknown bool
	}{
		"ours alone":         {[]metav1.ManagedFieldsEntry{applied(manager, ourSet)}, true, false},
		"ours among others":  {[]metav1.ManagedFieldsEntry{applied("a", otherSet), applied(manager, ourSet), applied("z", ourSet)}, true, false},
		"at another time":    {[]metav1.ManagedFieldsEntry{changed(func(e *metav1.ManagedFieldsEntry) { e.Time = &metav1.Time{} })}, true, false},
		"other fields":       {[]metav1.ManagedFieldsEntry{applied(manager, otherSet)}, false, false},
		"in another version": {[]metav1.ManagedFieldsEntry{changed(func(e *metav1.ManagedFieldsEntry) { e.APIVersion = "v2" })}, false, false},
		"another rule's":     {[]metav1.ManagedFieldsEntry{applied("Projection/here/theirs", ourSet)}, false, true},
		"an update under our name": {[]metav1.ManagedFieldsEntry{changed(func(e *metav1.ManagedFieldsEntry) {
			e.Operation = metav1.ManagedFieldsOperationUpdate
		})}, false, true},
		"of the status":               {[]metav1.ManagedFieldsEntry{changed(func(e *metav1.ManagedFieldsEntry) { e.Subresource = "status" })}, false, true},
		"without fields":              {[]metav1.ManagedFieldsEntry{changed(func(e *metav1.ManagedFieldsEntry) { e.FieldsV1 = nil })}, false, true},
		"ours, while the rule adopts": {[]metav1.ManagedFieldsEntry{applied(manager, ourSet), applied(manager+"/adopting", ourSet)}, false, true},
		"ours, while another adopts":  {[]metav1.ManagedFieldsEntry{applied(manager, ourSet), applied("Projection/here/b/adopting", ourSet)}, true, false},
		"none":                        {nil, false, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			fields := fieldsOf(&metav1.ObjectMeta{ManagedFields: test.entries}, rule)
			assert.Equal(t, test.same, fields == ours)
			assert.Equal(t, test.unknown, fields == 0)
		})
	}
}
