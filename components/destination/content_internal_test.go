package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

const (
	from = "ConfigMap/platform/settings"
	// wantedFrom is the content that a rule wants whose copies name their source.
	wantedFrom = wanted + " " + from
)

func naming(source string) func(*metav1.PartialObjectMetadata) {
	return func(o *metav1.PartialObjectMetadata) { o.Annotations[v1.AnnotationSource] = source }
}

func TestSourceThatACopyNames(t *testing.T) {
	otherHash := func(o *metav1.PartialObjectMetadata) { o.Annotations[v1.AnnotationContentHash] = "hash-2" }
	noHash := func(o *metav1.PartialObjectMetadata) { delete(o.Annotations, v1.AnnotationContentHash) }
	tests := map[string]struct {
		changes []func(*metav1.PartialObjectMetadata)
		inSync  bool
	}{
		"the source":                       {[]func(*metav1.PartialObjectMetadata){naming(from)}, true},
		"none, as in earlier versions":     {nil, true},
		"none, in an empty annotation":     {[]func(*metav1.PartialObjectMetadata){naming("")}, true},
		"another source":                   {[]func(*metav1.PartialObjectMetadata){naming("ConfigMap/platform/other")}, false},
		"the beginning of the source":      {[]func(*metav1.PartialObjectMetadata){naming("ConfigMap/platform")}, false},
		"the source, with other content":   {[]func(*metav1.PartialObjectMetadata){naming(from), otherHash}, false},
		"none, with other content":         {[]func(*metav1.PartialObjectMetadata){otherHash}, false},
		"the source, without content hash": {[]func(*metav1.PartialObjectMetadata){naming(from), noHash}, false},
		"none, without content hash":       {[]func(*metav1.PartialObjectMetadata){noHash}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFakeWatch()
			w.list("1", copied("1", test.changes...))
			assert.Equal(t, test.inSync, w.setDesired(at, mine, wantedFrom, ours))
		})
	}
}

// A copy whose source is forged is repaired. One that loses the annotation is in sync.
func TestSourceThatSomebodyForges(t *testing.T) {
	w := newFakeWatch()
	w.list("1", copied("1", naming(from)))
	assert.True(t, w.setDesired(at, mine, wantedFrom, ours))
	w.changed(copied("2"))
	assert.Empty(t, w.enqueued())
	w.changed(copied("3", naming("ConfigMap/platform/forged")))
	assert.Equal(t, rules(mine), w.enqueued())
	w.beginWrite(at, mine, wantedFrom)
	_, isRepair := w.repaired(at, mine, wantedFrom)
	assert.True(t, isRepair)
}

// A rule that names another source with the same content writes its copies once, which is no repair. Copies of earlier versions stay as
// they are.
func TestRuleWithAnotherSourceOfTheSameContent(t *testing.T) {
	const other = wanted + " ConfigMap/elsewhere/settings"
	w := newFakeWatch()
	w.list("1", copied("1", naming(from)))
	assert.True(t, w.setDesired(at, mine, wantedFrom, ours))
	assert.False(t, w.setDesired(at, mine, other, ours))
	w.beginWrite(at, mine, other)
	_, isRepair := w.repaired(at, mine, other)
	assert.False(t, isRepair)

	old := newFakeWatch()
	old.list("1", copied("1"))
	assert.True(t, old.setDesired(at, mine, wantedFrom, ours))
	assert.True(t, old.setDesired(at, mine, other, ours))
}
