package projector

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/source"
)

// largeSource is a source with 900 KB of content.
func largeSource(name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"filler": strings.Repeat("x", 900_000)}}}
	object.SetAPIVersion("v1")
	object.SetKind("ConfigMap")
	object.SetNamespace("home")
	object.SetName(name)
	object.SetAnnotations(map[string]string{v1.AnnotationProjectable: v1.ProjectableTrue})
	return object
}

// heap returns how many bytes are in use.
func heap() int {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

// TestContentOfSelectedSourcesIsHeldOnceAndUpTo16MiB takes 40 sources of 900 KB, of which all copies have to be written.
func TestContentOfSelectedSourcesIsHeldOnceAndUpTo16MiB(t *testing.T) { //nolint:paralleltest // it measures the heap
	const maxContent = 16 << 20
	f := newFixture(t)
	f.planner.ServerVersion = func() string { return "v1.36.3" }
	rule := newRule()
	rule.Spec.Source.Name, rule.Spec.Source.Selector = "", &v1.SourceSelector{}
	s := f.newScope(rule, newRun())
	s.kind = source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Resource: "configmaps"}
	s.copyKind = s.kind
	s.selected = selectedSources{left: maxContent, targetsErr: errors.New("so each copy may have to be written")}
	before := heap()
	for i := range 40 {
		object := largeSource(fmt.Sprintf("s-%02d", i))
		added := s.addSelected(object)
		added.take(t.Context(), object)
		require.NoError(t, added.failed)
		require.True(t, added.problem.IsZero(), added.problem.Message)
	}
	after := heap()
	holding := 0
	for _, taken := range s.sources {
		if taken.renderer.HasContent() {
			holding++
		}
		assert.NotContains(t, taken.metadata.Object, "data")
	}
	assert.Equal(t, maxContent/900_000, holding)
	assert.Equal(t, "s-18", s.selected.next, "the next reconcile begins with it")
	assert.Less(t, after-before, maxContent+maxContent/4, "some content is held twice, or more than 16 MiB is")
}
