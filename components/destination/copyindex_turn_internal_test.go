package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const newer = "hash-2"

// TestCopyMayWaitForItsTurn has a rule want newer content.
func TestCopyMayWaitForItsTurn(t *testing.T) {
	const unknown, listed Fields = 7, 8
	tests := map[string]struct {
		objects []*metav1.PartialObjectMetadata // as the watch tells of them, one after the other
		rule    types.NamespacedName
		content string
		known   FieldSets
		writes  bool // the rule has written the first one in this process
		waits   bool
	}{
		"written in this process":                {objects: these(copied("10")), writes: true, waits: true},
		"drifted":                                {objects: these(copied("10"), copied("11", drifted)), writes: true},
		"drifted before":                         {objects: these(copied("10", drifted)), known: FieldSets{ours}},
		"of a process before":                    {objects: these(copied("10")), known: FieldSets{ours}, waits: true},
		"of a process before, among other sets":  {objects: these(copied("10")), known: FieldSets{unknown, listed}.With(ours), waits: true},
		"the status was lost":                    {objects: these(copied("10")), waits: true},
		"the status was lost, and it is drifted": {objects: these(copied("10", drifted)), waits: true},
		"it has the content":                     {objects: these(copied("10")), content: wanted, writes: true},
		"any content is wanted":                  {objects: these(copied("10")), content: kept{label: "uid-of-mine"}.String(), writes: true},
		"it is being deleted":                    {objects: these(copied("10", terminating)), writes: true},
		"another rule's":                         {objects: these(copied("10")), rule: theirs, known: FieldSets{ours}},
		"nobody's any more":                      {objects: these(copied("10"), copied("11", handedOver)), writes: true},
		"there is none":                          {},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFakeWatch()
			for i, object := range test.objects {
				if i == 0 && test.writes {
					w.write(mine, object)
				}
				w.changed(object)
			}
			rule, content := mine, newer
			if test.rule != (types.NamespacedName{}) {
				rule = test.rule
			}
			if test.content != "" {
				content = test.content
			}
			assert.Equal(t, test.waits, w.awaitTurn(at, rule, content, test.known))
		})
	}
}

func these(objects ...*metav1.PartialObjectMetadata) []*metav1.PartialObjectMetadata { return objects }

// TestFullStatusDoesNotTellWhoHasDrifted has a status that holds no further sets of fields.
func TestFullStatusDoesNotTellWhoHasDrifted(t *testing.T) {
	var known FieldSets
	for set := Fields(1); len(known) < maxFieldSets; set++ {
		known = known.With(set)
	}
	w := newFakeWatch()
	w.changed(copied("10"))
	assert.True(t, w.awaitTurn(at, mine, newer, known))
}

// TestCopyThatWaitsIsToStayAsItIs has others change a copy that waits for its turn.
func TestCopyThatWaitsIsToStayAsItIs(t *testing.T) {
	w := newFakeWatch()
	w.write(mine, copied("10"))
	w.awaitTurn(at, mine, newer, nil)
	w.changed(copied("10"))
	w.changed(copied("11", func(o *metav1.PartialObjectMetadata) { o.Labels["theirs"] = "1" }))
	assert.Empty(t, w.enqueued(), "it has what the rule has written")
	w.changed(copied("12", drifted))
	assert.Equal(t, rules(mine), w.enqueued())
	assert.False(t, w.awaitTurn(at, mine, newer, nil))
	w.vanished(copied("13"))
	assert.Equal(t, rules(mine), w.enqueued())
}
