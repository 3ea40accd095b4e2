package integration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// shares creates a source that the rules of this file select. Its owner consents.
func (w *world) shares(name string) *unstructured.Unstructured {
	w.T.Helper()
	return w.Apply(fmt.Sprintf(`
apiVersion: v1
kind: ConfigMap
metadata:
  name: %s
  namespace: $HOME
  labels: {share: "yes"}
  annotations: {projection.sh/projectable: "true"}
data: {color: red, of: %s}
`, name, name))
}

// selecting creates a rule that copies what is shared into the namespaces of the destination.
func (w *world) selecting(destination string, more ...string) *v1.ClusterProjection {
	w.T.Helper()
	manifest := fmt.Sprintf(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $AWAY}
spec:
  source: {kind: ConfigMap, namespace: $HOME, selector: {matchLabels: {share: "yes"}}}
  destination: %s
`, destination)
	if len(more) > 0 {
		manifest += "  " + strings.Join(more, "\n  ") + "\n"
	}
	w.Apply(manifest)
	rule := &v1.ClusterProjection{}
	rule.Name = w.Away
	return rule
}

// copiesOf waits until the namespace has a copy of each source, and of no other.
func (w *world) copiesOf(namespace string, names ...string) {
	w.T.Helper()
	w.Eventually(w.Object(fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", namespace)), func() bool {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion("v1")
		list.SetKind("ConfigMapList")
		if w.Client.List(w.T.Context(), list, client.InNamespace(namespace), client.HasLabels{"projection.sh/owned-by-cluster-projection-uid"}) != nil {
			return false
		}
		found := []string{}
		for _, object := range list.Items {
			found = append(found, object.GetName())
		}
		return slices.Equal(names, found)
	}, "%s does not have copies of %v", namespace, names)
}

// sources waits until the status counts the sources.
func (w *world) sources(rule *v1.ClusterProjection, count int32) {
	w.T.Helper()
	w.Eventually(rule, func() bool {
		return w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule) == nil && rule.Status.Sources != nil && *rule.Status.Sources == count
	}, "the rule does not report %d sources", count)
}

func TestRuleCopiesWhatItSelects(t *testing.T) {
	w := newWorld(t)
	one, two := w.member(w.selected()), w.member(w.selected())
	a, b := w.shares("a"), w.shares("b")
	silent := w.shares("silent")
	w.Merge(silent, `{"metadata":{"annotations":null}}`)
	other := w.shares("other")
	w.Merge(other, `{"metadata":{"labels":{"share":"no"}}}`)
	rule := w.selecting(`{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	for _, namespace := range []string{one, two} {
		w.copiesOf(namespace, "a", "b")
	}
	w.Ready(rule)
	w.sources(rule, 2)
	w.counts(rule, 2, 0)
	assert.Empty(t, rule.Status.DestinationName)
	found := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
	assert.Equal(t, "the owners of 2 of the 3 ConfigMap objects in "+w.Home+" that source.selector matches consent", found.Message)

	t.Run("an edit", func(t *testing.T) {
		w.settles()
		requests := w.requestsOn([]string{one, two}, func() {
			w.Merge(a, `{"data":{"color":"blue"}}`)
			for _, namespace := range []string{one, two} {
				w.Exists(a, namespace, "a", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
			}
			w.settles()
		})
		assert.Equal(t, 2, count(requests, "patch", "configmaps"), "%v", requests)
		assert.Equal(t, 1, count(requests, "list", "configmaps"), "%v", requests)
		assert.Zero(t, count(requests, "delete", "configmaps"), "%v", requests)
	})
	t.Run("a source that comes", func(t *testing.T) {
		w.Merge(other, `{"metadata":{"labels":{"share":"yes"}}}`)
		w.copiesOf(one, "a", "b", "other")
		w.copiesOf(two, "a", "b", "other")
	})
	t.Run("consent that comes", func(t *testing.T) {
		w.Merge(silent, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`)
		w.copiesOf(one, "a", "b", "other", "silent")
	})
	t.Run("an opt-out", func(t *testing.T) {
		w.Merge(silent, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
		w.copiesOf(one, "a", "b", "other")
	})
	t.Run("a label that is lost", func(t *testing.T) {
		w.Merge(other, `{"metadata":{"labels":null}}`)
		w.copiesOf(one, "a", "b")
		w.copiesOf(two, "a", "b")
	})
	t.Run("a source that is deleted", func(t *testing.T) {
		w.Delete(b)
		w.copiesOf(one, "a")
		w.Ready(rule)
	})
	t.Run("a namespace that comes", func(t *testing.T) {
		w.copiesOf(w.member(w.selected()), "a")
	})
	t.Run("a copy that is changed", func(t *testing.T) {
		w.Merge(w.Exists(a, one, "a", fixture.Anything), `{"data":{"color":"mine"}}`)
		w.Exists(a, one, "a", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	})
	t.Run("a copy that is deleted", func(t *testing.T) {
		w.Delete(w.Exists(a, one, "a", fixture.Anything))
		w.copiesOf(one, "a")
	})
	t.Run("no source is left", func(t *testing.T) {
		w.Delete(a)
		w.copiesOf(one)
		w.sources(rule, 0)
		w.Ready(rule)
	})
	t.Run("the rule is deleted", func(t *testing.T) {
		w.shares("c")
		w.copiesOf(one, "c")
		w.Delete(rule)
		w.Gone(rule)
		w.copiesOf(one)
		w.copiesOf(two)
	})
}

// A rule that selects its sources, names one of them and selects them again deletes and creates no copy of that source.
func TestSelectorBecomesANameAndASelectorAgain(t *testing.T) {
	w := newWorld(t)
	target := w.member(w.selected())
	a := w.shares("a")
	w.shares("b")
	rule := w.selecting(`{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	w.copiesOf(target, "a", "b")
	before := w.Exists(a, target, "a", fixture.Anything)
	w.Ready(rule)

	w.Merge(rule, `{"spec":{"source":{"selector":null,"name":"a"}}}`)
	w.copiesOf(target, "a")
	w.Eventually(rule, func() bool {
		return w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule) == nil && rule.Status.DestinationName == "a" && rule.Status.Sources == nil
	}, "the status is not that of a rule that names its source")
	w.Merge(rule, `{"spec":{"source":{"selector":{"matchLabels":{"share":"yes"}},"name":null}}}`)
	w.copiesOf(target, "a", "b")
	assert.Equal(t, before.GetUID(), w.Exists(a, target, "a", fixture.Anything).GetUID())
	w.sources(rule, 2)
	w.Ready(rule)
}

// A copy in the namespace of the sources, which the selector matches, is no source, and neither are copies of others that are opted out.
func TestCopiesAreNoSources(t *testing.T) {
	w := newWorld(t)
	target := w.member(w.selected())
	w.shares("a")
	rule := w.selecting(fmt.Sprintf(`{namespaces: [%s, $HOME]}`, target))
	w.copiesOf(target, "a")
	failed := w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	assert.Contains(t, failed.Message, "the destination is the source itself")
	w.counts(rule, 1, 1)
	w.settles()
	assert.Empty(t, w.requestsOn([]string{target}, w.settles))
}

// Two rules that select the same sources for the same namespace: the second is in conflict, and stays so.
func TestOverlappingSelectors(t *testing.T) {
	w := newWorld(t)
	target := w.member(w.selected())
	a := w.shares("a")
	first := w.selecting(`{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	w.Ready(first)
	second := &v1.ClusterProjection{}
	second.Name = w.Home
	w.Apply(fmt.Sprintf(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $HOME}
spec:
  source: {kind: ConfigMap, namespace: $HOME, selector: {matchLabels: {share: "yes"}}}
  destination: {namespaces: [%s]}
`, target))
	w.Says(second, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.Merge(a, `{"data":{"color":"blue"}}`)
	w.Exists(a, target, "a", func(o *unstructured.Unstructured) bool {
		return data(o, "color") == "blue" && o.GetAnnotations()["projection.sh/owned-by-cluster-projection"] == w.Away
	})
	w.Delete(first)
	w.Exists(a, target, "a", func(o *unstructured.Unstructured) bool {
		return o.GetAnnotations()["projection.sh/owned-by-cluster-projection"] == w.Home
	})
	w.Ready(second)
}

// A Projection has a copy of each source in its namespace.
func TestProjectionSelectsItsSources(t *testing.T) {
	w := newWorld(t)
	a := w.shares("a")
	w.shares("b")
	rule := w.Project("selecting", a, func(rule *v1.Projection) {
		rule.Spec.Source.Name = ""
		rule.Spec.Source.Selector = &v1.SourceSelector{MatchLabels: map[string]v1.LabelValue{"share": "yes"}}
	})
	w.Ready(rule)
	w.Exists(a, w.Away, "a", fixture.Anything)
	w.Exists(a, w.Away, "b", fixture.Anything)
	written := w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionTrue, v1.ReasonProjected)
	assert.Equal(t, "all 2 copies are in sync with their source", written.Message)
	w.Delete(rule)
	w.gone(a, w.Away, "a")
	w.gone(a, w.Away, "b")
}
