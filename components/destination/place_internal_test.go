package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
)

func placedAt(place string) func(*metav1.PartialObjectMetadata) {
	return func(o *metav1.PartialObjectMetadata) { o.Annotations[v1.AnnotationPlace] = place }
}

const marksSet = `{"f:metadata":{"f:annotations":{"f:projection.sh/owned-by-projection":{}},"f:labels":{"f:projection.sh/owned-by-projection-uid":{}}}}`

// markedBy has the managers put the marks on the object by an update.
func markedBy(managers ...string) func(*metav1.PartialObjectMetadata) {
	return func(o *metav1.PartialObjectMetadata) {
		for _, manager := range managers {
			entry := applied(manager, marksSet)
			entry.Operation = metav1.ManagedFieldsOperationUpdate
			o.ManagedFields = append(o.ManagedFields, entry)
		}
	}
}

func unapplied(o *metav1.PartialObjectMetadata) { o.ManagedFields = nil }

func TestWhatIsProvenToBeACopy(t *testing.T) {
	type changes = []func(*metav1.PartialObjectMetadata)
	tests := map[string]struct {
		changes                  changes
		owned, proven, elsewhere bool
	}{
		"applied, at its place":                      {changes{placedAt("here/settings")}, true, true, false},
		"at its place, by whomever":                  {changes{unapplied, placedAt("here/settings"), markedBy("kubectl-create")}, true, true, false},
		"at another place":                           {changes{unapplied, placedAt("there/settings")}, false, false, true},
		"at another place, though applied":           {changes{placedAt("there/settings")}, false, false, true},
		"without a place, applied":                   {nil, true, true, false},
		"without a place, by a former operator":      {changes{unapplied, markedBy("manager")}, true, true, false},
		"without a place, taken over by us":          {changes{markedBy("manager")}, true, true, false},
		"without a place, by somebody":               {changes{unapplied, markedBy("kubectl-create")}, true, false, false},
		"without a place, by nobody":                 {changes{unapplied}, true, false, false},
		"without a place, by somebody, our entry":    {changes{markedBy("kubectl-create")}, true, false, false},
		"without a place, by somebody, a former one": {changes{unapplied, markedBy("kubectl-create", "manager")}, true, false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			state := stateOf(owner.Projection, copied("10", test.changes...))
			assert.Equal(t, test.owned, state.Owner == mine)
			assert.Equal(t, test.elsewhere, state.Elsewhere == mine)
			assert.Equal(t, test.proven, state.Proven)
		})
	}
}

func TestForeignObjectEnqueuesTheRuleOnceAndIsReportedOnce(t *testing.T) {
	for name, change := range map[string]func(*metav1.PartialObjectMetadata){"another place": placedAt("there/settings"), "no place": unapplied} {
		t.Run(name, func(t *testing.T) {
			w := newFakeWatch()
			seen := func(version string, changes ...func(*metav1.PartialObjectMetadata)) {
				w.changed(copied(version, append(changes, change)...))
			}
			seen("10")
			assert.Len(t, w.enqueued(), 1)
			assert.Empty(t, w.copiesOf(mine))
			assert.Empty(t, w.unplanned(mine, nil))
			planned := map[types.NamespacedName]bool{at: true}
			assert.Empty(t, w.unreportedForeign(mine, planned), "it is in the way of a copy, which is told otherwise")
			assert.Len(t, w.unreportedForeign(mine, nil), 1)
			assert.Empty(t, w.unreportedForeign(mine, nil))

			seen("11")
			assert.Empty(t, w.enqueued(), "a change of it enqueues nobody")
			assert.Empty(t, w.unreportedForeign(mine, nil))
			seen("12", func(o *metav1.PartialObjectMetadata) { o.UID = "another" })
			assert.Len(t, w.enqueued(), 1)
			assert.Len(t, w.unreportedForeign(mine, nil), 1)

			w.changed(copied("13", func(o *metav1.PartialObjectMetadata) { o.UID = "another" }, placedAt("here/settings")))
			assert.Len(t, w.enqueued(), 1, "it has become the rule's")
			assert.Len(t, w.copiesOf(mine), 1)
			seen("14", func(o *metav1.PartialObjectMetadata) { o.UID = "another" })
			w.vanished(copied("15"))
			assert.Empty(t, w.entries)
			assert.Empty(t, w.foreign)
		})
	}
}

func TestCopyOfVersion1IsInSyncWithoutAPlace(t *testing.T) {
	before := copied("10")
	after := copied("11", placedAt("here/settings"))
	before.ManagedFields[0].FieldsV1 = metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:projection.sh/owned-by-projection":{}}}}`)
	after.ManagedFields[0].FieldsV1 = metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:projection.sh/owned-by-projection":{},"f:projection.sh/place":{}}}}`)
	assert.Equal(t, stateOf(owner.Projection, before).Fields, stateOf(owner.Projection, after).Fields)
}

func TestFieldsWithoutStamps(t *testing.T) {
	tests := map[string]struct{ set, without string }{
		"last":  {`{"f:metadata":{"f:annotations":{"f:a":{},"f:projection.sh/place":{}},"f:labels":{}}}`, `{"f:metadata":{"f:annotations":{"f:a":{}},"f:labels":{}}}`},
		"first": {`{"f:metadata":{"f:annotations":{"f:projection.sh/place":{},"f:z":{}}}}`, `{"f:metadata":{"f:annotations":{"f:z":{}}}}`},
		"among": {`{"f:metadata":{"f:annotations":{".":{},"f:a":{},"f:projection.sh/place":{},"f:z":{}}}}`, `{"f:metadata":{"f:annotations":{".":{},"f:a":{},"f:z":{}}}}`},
		"alone": {`{"f:metadata":{"f:annotations":{"f:projection.sh/place":{}}}}`, `{"f:metadata":{"f:annotations":{}}}`},
		"after content that looks alike": {
			`{"f:data":{"f:metadata":{"f:annotations":{"f:projection.sh/place":{}}}},"f:metadata":{"f:annotations":{"f:projection.sh/place":{},"f:z":{}}}}`,
			`{"f:data":{"f:metadata":{"f:annotations":{"f:projection.sh/place":{}}}},"f:metadata":{"f:annotations":{"f:z":{}}}}`,
		},
		"after keys with quotes and braces": {
			`{"f:data":{"k:{\"name\":\"}{\\\"}":{"f:x":{}},"v:\"f:metadata\"":{}},"f:metadata":{"f:annotations":{"f:a":{},"f:projection.sh/place":{}}}}`,
			`{"f:data":{"k:{\"name\":\"}{\\\"}":{"f:x":{}},"v:\"f:metadata\"":{}},"f:metadata":{"f:annotations":{"f:a":{}}}}`,
		},
		"among labels":          {`{"f:metadata":{"f:labels":{"f:projection.sh/place":{}}}}`, ""},
		"of a template":         {`{"f:metadata":{"f:annotations":{"f:a":{}}},"f:spec":{"f:metadata":{"f:annotations":{"f:projection.sh/place":{}}}}}`, ""},
		"deeper":                {`{"f:metadata":{"f:annotations":{"f:a":{"f:projection.sh/place":{}}}}}`, ""},
		"no leaf":               {`{"f:metadata":{"f:annotations":{"f:projection.sh/place":{"f:a":{}}}}}`, ""},
		"a longer name":         {`{"f:metadata":{"f:annotations":{"f:projection.sh/places":{}}}}`, ""},
		"not there":             {`{"f:data":{"f:color":{}}}`, ""},
		"cut off in the middle": {`{"f:metadata":{"f:annotations":{"f:projection.sh/place":`, ""},
		"cut off in the key":    {`{"f:metadata":{"f:annotations":{"f:projection.sh/place`, ""},
		"closed too often":      {`}}}{"f:projection.sh/place":{}}`, ""},
		"nothing":               {``, ""},
		"with a source": {
			`{"f:metadata":{"f:annotations":{"f:a":{},"f:projection.sh/place":{},"f:projection.sh/source-uid":{}},"f:labels":{}}}`,
			`{"f:metadata":{"f:annotations":{"f:a":{}},"f:labels":{}}}`,
		},
		"with a source and others between": {
			`{"f:metadata":{"f:annotations":{"f:projection.sh/place":{},"f:projection.sh/q":{},"f:projection.sh/source-uid":{},"f:z":{}}}}`,
			`{"f:metadata":{"f:annotations":{"f:projection.sh/q":{},"f:z":{}}}}`,
		},
		"with a source, by its name and uid": {
			`{"f:metadata":{"f:annotations":{"f:a":{},"f:projection.sh/place":{},"f:projection.sh/source":{},"f:projection.sh/source-uid":{}}}}`,
			`{"f:metadata":{"f:annotations":{"f:a":{}}}}`,
		},
		"a named source alone": {`{"f:metadata":{"f:annotations":{"f:projection.sh/source":{}}}}`, `{"f:metadata":{"f:annotations":{}}}`},
		"a source alone":       {`{"f:metadata":{"f:annotations":{"f:projection.sh/source-uid":{}}}}`, `{"f:metadata":{"f:annotations":{}}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.without == "" {
				test.without = test.set
			}
			set := []byte(test.set)
			assert.Equal(t, test.without, string(withoutStamps(set)))
			assert.Equal(t, test.set, string(set), "it is not changed")
		})
	}
}
