package crash_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// share puts a source that the rules of selecting select. Its owner consents.
func (w *world) share(name string) {
	w.T.Helper()
	object := w.object("ConfigMap", home, name)
	require.NoError(w.T, yaml.Unmarshal([]byte(`data: {color: red, size: "1"}`), &object.Object))
	object.SetLabels(map[string]string{worldLabel: w.id, "share": "yes"})
	object.SetAnnotations(map[string]string{v1.AnnotationProjectable: v1.ProjectableTrue})
	require.NoError(w.T, w.Client.Create(w.T.Context(), object))
	w.foreign.Note(object)
}

// editShared patches a source that is selected, if it is there.
func (w *world) editShared(name, patch string) {
	w.T.Helper()
	object := w.object("ConfigMap", home, name)
	if w.patch(object, patch) {
		w.foreign.Note(object)
	}
}

// selecting is a rule that copies two sources, and passes over one without a label and one without consent.
func selecting(w *world) {
	for _, name := range []string{"a", "b", "denied", "unlabelled"} {
		w.share(name)
	}
	w.editShared("denied", veto)
	w.editShared("unlabelled", withoutShare)
	w.project("rule")
	w.patch(w.rule("rule"), bySelector)
}

// selectsSources reports whether the rule is there and selects its sources.
func (w *world) selectsSources() bool {
	w.T.Helper()
	rule := w.rule("rule")
	require.NoError(w.T, client.IgnoreNotFound(w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule)))
	_, selects, err := unstructured.NestedMap(rule.Object, "spec", "source", "selector")
	require.NoError(w.T, err)
	return selects
}

// Patches of a source that is selected.
const (
	withShare    = `{"metadata":{"labels":{"share":"yes"}}}`
	withoutShare = `{"metadata":{"labels":{"share":null}}}`
)

// would waits until the suspended rule says that it would do something, and nothing else.
func (w *world) would(verb string) {
	w.T.Helper()
	require.Eventually(w.T, func() bool {
		rule := w.rule("rule")
		if w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule) != nil {
			return false
		}
		said := fmt.Sprint(rule.Object["status"])
		return strings.Contains(said, "suspended: would "+verb) && !strings.Contains(said, "create")
	}, timeout, interval)
}

// copyOf returns the copy of a source.
func (w *world) copyOf(source string) *unstructured.Unstructured {
	return w.object("ConfigMap", one, source)
}

// TestOptOutReachesACopyWithoutItsLabelOfASelectedSource has copies lose their labels while no operator runs, and their sources opted out: one that is
// selected still, and one that is not.
func TestOptOutReachesACopyWithoutItsLabelOfASelectedSource(t *testing.T) {
	t.Parallel()
	const lane = "selected-unlabelled"
	first, _ := serve(t, lane, "first")
	var all []*world
	for _, tier := range bothTiers {
		w := newWorld(t, lane, tier)
		selecting(w)
		w.share("c")
		w.settles()
		all = append(all, w)
	}
	require.NoError(t, first.Stop())
	for _, w := range all {
		w.patch(w.copyOf("a"), withoutLabels)
		w.patch(w.copyOf("c"), withoutLabels)
		w.editShared("a", veto)
		w.editShared("c", veto)
		w.editShared("c", withoutShare)
	}
	serve(t, lane, "second")
	for _, w := range all {
		w.settles()
		assert.Len(t, w.copies(one), 1, w.tier)
	}
}

// TestOptOutReachesACopyWithoutItsLabelAfterASuspension has the same happen while the rule is suspended, whose status counts the source no more.
func TestOptOutReachesACopyWithoutItsLabelAfterASuspension(t *testing.T) {
	t.Parallel()
	const lane = "selected-suspended"
	first, _ := serve(t, lane, "first")
	var all []*world
	for _, tier := range bothTiers {
		w := newWorld(t, lane, tier)
		selecting(w)
		w.settles()
		w.suspend(true)
		w.patch(w.copyOf("a"), withoutLabels)
		w.editShared("a", veto)
		w.would("delete")
		all = append(all, w)
	}
	require.NoError(t, first.Stop())
	serve(t, lane, "second")
	for _, w := range all {
		w.suspend(false)
		w.settles()
		assert.Len(t, w.copies(one), 1, w.tier)
	}
}

// TestSearchForCopiesWithoutTheirLabelsRepeatsNoListThatHasSucceeded has copies in two namespaces lose their labels while no operator runs, and their
// source opted out. The next operator cannot list one of the namespaces at first.
func TestSearchForCopiesWithoutTheirLabelsRepeatsNoListThatHasSucceeded(t *testing.T) {
	t.Parallel()
	const lane = "selected-unlisted"
	first, _ := serve(t, lane, "first")
	w := newWorld(t, lane, v1.KindClusterProjection)
	selecting(w)
	w.settles()
	require.NoError(t, first.Stop())
	w.editShared("a", veto)
	for _, role := range []string{one, two} {
		w.patch(w.object("ConfigMap", role, "a"), withoutLabels)
	}
	mark := fixture.Mark(t, cluster)
	left := serveFailing(t, lane, map[string]bool{"GET /api/v1/namespaces/" + w.name(one) + "/configmaps": true})
	w.settles()
	assert.Empty(t, left())
	lists := map[string]int{}
	for _, request := range fixture.RequestsSince(t, cluster, mark, lane+"-failing") {
		if request.Verb == "list" && request.Resource == "configmaps" {
			lists[request.Namespace]++
		}
	}
	assert.Equal(t, 1, lists[w.name(one)], "besides the one that has failed: %v", lists)
	assert.Equal(t, 1, lists[w.name(two)], "%v", lists)
}

// TestRestartWithSelectedSourcesCostsAList starts an operator for copies of selected sources that are in sync.
func TestRestartWithSelectedSourcesCostsAList(t *testing.T) {
	t.Parallel()
	const lane, rulesPerTier = "selected-restart", 3
	first, _ := serve(t, lane, "first")
	var all []*world
	for _, tier := range bothTiers {
		for range rulesPerTier {
			w := newWorld(t, lane, tier)
			selecting(w)
			all = append(all, w)
		}
	}
	requests, _ := restarted(t, lane, first, all)
	lists := map[string]int{}
	for _, request := range requests {
		if request.Resource == "configmaps" && request.Namespace != "" {
			lists[request.Verb]++
		}
	}
	assert.Equal(t, map[string]int{"list": len(all)}, lists, fmt.Sprint(requests))
}
