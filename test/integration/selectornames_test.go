package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// byApp names copies by a label of the sources, or by their names.
const byApp = `"source.metadata.labels[?'app'].orValue(source.metadata.name)"`

// namedBy creates a rule that copies what is shared into the selected namespaces, and names the copies by the expression.
func (w *world) namedBy(expression string) *v1.ClusterProjection {
	w.T.Helper()
	return w.selecting(`{namespaceSelector: {matchLabels: {group: $HOME}}, nameExpression: ` + expression + `}`)
}

// app sets the label app of a source; null: it has none.
func (w *world) app(source client.Object, value string) {
	w.T.Helper()
	w.Merge(source, `{"metadata":{"labels":{"app":`+value+`}}}`)
}

// isOf reports whether the copy has the content of the source with that name.
func isOf(name string) func(*unstructured.Unstructured) bool {
	return func(o *unstructured.Unstructured) bool { return data(o, "of") == name }
}

// quietly returns the requests on these namespaces until no more follow.
func (w *world) quietly(namespaces []string, do func()) []env.Request {
	w.T.Helper()
	return w.requestsOn(namespaces, func() {
		do()
		for busy := true; busy; {
			busy = len(w.requestsOn(namespaces, w.settles)) > 0
		}
	})
}

func TestNamesOfSelectedSources(t *testing.T) {
	w := newWorld(t)
	one, two := w.member(w.selected()), w.member(w.selected())
	members := []string{one, two}
	a, b := w.shares("a"), w.shares("b")
	rule := w.namedBy(`"'shop-' + source.metadata.name"`)
	for _, namespace := range members {
		w.copiesOf(namespace, "shop-a", "shop-b")
	}
	copied := w.Exists(a, one, "shop-a", isOf("a"))
	assert.Equal(t, "ConfigMap/"+w.Home+"/a", copied.GetAnnotations()[v1.AnnotationSource])
	w.Ready(rule)
	w.namesSay(rule, "", 2)
	w.sources(rule, 2)
	w.counts(rule, 2, 0)
	w.quietly(members, w.settles)

	t.Run("an edit", func(t *testing.T) {
		requests := w.quietly(members, func() {
			w.Merge(a, `{"data":{"color":"blue"}}`)
			for _, namespace := range members {
				w.Exists(a, namespace, "shop-a", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
			}
		})
		assert.Equal(t, 2, count(requests, "patch", "configmaps"), "%v", requests)
		assert.Equal(t, 1, count(requests, "list", "configmaps"), "%v", requests)
		assert.Zero(t, count(requests, "delete", "configmaps"), "%v", requests)
		assert.Zero(t, count(requests, "get", "configmaps"), "%v", requests)
	})
	t.Run("a copy that is changed", func(t *testing.T) {
		w.Merge(w.Exists(a, one, "shop-b", fixture.Anything), `{"metadata":{"annotations":{"projection.sh/source":"ConfigMap/`+w.Home+`/a"}}}`)
		w.Exists(a, one, "shop-b", func(o *unstructured.Unstructured) bool {
			return o.GetAnnotations()[v1.AnnotationSource] == "ConfigMap/"+w.Home+"/b"
		})
	})
	t.Run("an opt-out", func(t *testing.T) {
		w.Merge(b, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
		w.copiesOf(one, "shop-a")
		w.copiesOf(two, "shop-a")
		w.namesSay(rule, "shop-a", 0)
	})
	t.Run("consent that comes back", func(t *testing.T) {
		w.Merge(b, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`)
		w.copiesOf(one, "shop-a", "shop-b")
	})
	t.Run("a label that is lost", func(t *testing.T) {
		w.Merge(b, `{"metadata":{"labels":null}}`)
		w.copiesOf(one, "shop-a")
		w.copiesOf(two, "shop-a")
	})
	t.Run("a source that is deleted", func(t *testing.T) {
		w.Delete(a)
		w.copiesOf(one)
		w.Ready(rule)
	})
	w.shares("c")
	w.copiesOf(two, "shop-c")
	w.Delete(rule)
	w.Gone(rule)
	w.copiesOf(one)
	w.copiesOf(two)
}

// Two sources with one name: the first in alphabetical order has the copy, in whichever order they come.
func TestSelectedSourcesWithOneName(t *testing.T) {
	w := newWorld(t)
	one, two := w.member(w.selected()), w.member(w.selected())
	members := []string{one, two}
	b := w.shares("b")
	w.app(b, `"shop"`)
	rule := w.namedBy(byApp)
	w.Exists(b, one, "shop", isOf("b"))
	w.Ready(rule)

	var a *unstructured.Unstructured
	t.Run("an earlier one comes", func(t *testing.T) {
		a = w.shares("a")
		w.copiesOf(one, "a", "shop")
		w.quietly(members, w.settles)
		requests := w.quietly(members, func() {
			w.app(a, `"shop"`)
			for _, namespace := range members {
				w.Exists(a, namespace, "shop", isOf("a"))
				w.copiesOf(namespace, "shop")
			}
		})
		assert.Equal(t, 2, count(requests, "patch", "configmaps"), "each copy is written over once: %v", requests)
		assert.Equal(t, 2, count(requests, "delete", "configmaps"), "%v", requests)
		w.counts(rule, 0, 2)
		w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
		require.Len(t, rule.Status.Failures, 2)
		assert.Equal(t, "b: no copy can be made for this namespace; a copy that exists is kept unless another source has its name; correct the sources or this rule "+
			`(destination.nameExpression results in "shop" for `+w.Home+"/b, which is the name of the copy of "+w.Home+"/a)", rule.Status.Failures[0].Message)
		w.namesSay(rule, "shop", 0)
	})
	t.Run("both are edited", func(t *testing.T) {
		requests := w.quietly(members, func() {
			w.Merge(b, `{"data":{"color":"green"}}`)
			w.Merge(a, `{"data":{"color":"blue"}}`)
			for _, namespace := range members {
				w.Exists(a, namespace, "shop", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
			}
		})
		assert.Equal(t, 2, count(requests, "patch", "configmaps"), "%v", requests)
		assert.Zero(t, count(requests, "delete", "configmaps"), "%v", requests)
	})
	t.Run("the first is opted out", func(t *testing.T) {
		requests := w.quietly(members, func() {
			w.Merge(a, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
			for _, namespace := range members {
				w.Exists(b, namespace, "shop", isOf("b"))
			}
		})
		assert.Equal(t, 2, count(requests, "delete", "configmaps"), "the content of the owner who opted out goes at once: %v", requests)
		assert.Equal(t, 2, count(requests, "patch", "configmaps"), "%v", requests)
		assert.Zero(t, count(requests, "get", "configmaps"), "%v", requests)
		w.Ready(rule)
	})
	t.Run("the first consents again", func(t *testing.T) {
		w.Merge(a, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`)
		w.Exists(a, one, "shop", isOf("a"))
		w.Exists(a, two, "shop", isOf("a"))
	})
	t.Run("they swap their names", func(t *testing.T) {
		w.app(b, `"b"`)
		w.copiesOf(one, "b", "shop")
		w.quietly(members, w.settles)
		requests := w.quietly(members, func() {
			w.app(b, `"shop"`)
			w.app(a, `"b"`)
			for _, namespace := range members {
				w.Exists(a, namespace, "b", isOf("a"))
				w.Exists(b, namespace, "shop", isOf("b"))
			}
		})
		assert.Equal(t, 4, count(requests, "patch", "configmaps"), "%v", requests)
		assert.Zero(t, count(requests, "delete", "configmaps"), "%v", requests)
		w.Ready(rule)
	})
	t.Run("the first is deleted", func(t *testing.T) {
		w.app(a, `"shop"`)
		w.Exists(a, one, "shop", isOf("a"))
		w.Delete(a)
		w.Exists(b, one, "shop", isOf("b"))
		w.Exists(b, two, "shop", isOf("b"))
		w.copiesOf(one, "shop")
		w.Ready(rule)
	})
}

// A source whose name cannot be found keeps its copy under the former one, which no other source gets, and the others follow.
func TestSelectedSourceWithoutName(t *testing.T) {
	w := newWorld(t)
	one := w.member(w.selected())
	a, b := w.shares("a"), w.shares("b")
	w.app(a, `"x"`)
	w.app(b, `"y"`)
	rule := w.namedBy(`"source.metadata.labels['app']"`)
	w.copiesOf(one, "x", "y")
	w.Ready(rule)

	w.app(a, "null")
	written := w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonRenderFailed)
	assert.Equal(t, "no copy can be made of ConfigMap "+w.Home+"/a; its copies are kept, and those of other sources are written; "+
		"correct the source or this rule (destination.nameExpression: line 1, column 23: no such key: app)", written.Message)
	w.Merge(b, `{"data":{"color":"blue"}}`)
	w.Exists(b, one, "y", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	w.Exists(a, one, "x", isOf("a"))

	w.app(b, `"x"`)
	w.Eventually(rule, func() bool {
		return w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule) == nil && len(rule.Status.Failures) == 1
	}, "the name is not refused")
	assert.Contains(t, rule.Status.Failures[0].Message, `results in "x" for `+w.Home+"/b, which is the name of the copy of "+w.Home+"/a, and that source cannot be copied")
	w.Exists(a, one, "x", isOf("a"))
	w.Exists(b, one, "y", isOf("b"))

	w.Merge(a, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.Exists(b, one, "x", isOf("b"))
	w.copiesOf(one, "x")
	w.Ready(rule)
}

// A copy takes the place of no source of the rule, whatever becomes of other objects that are in the way.
func TestNamesOfSelectedSourcesInTheirNamespace(t *testing.T) {
	w := newWorld(t)
	a, b := w.shares("a"), w.shares("b")
	w.app(a, `"b"`)
	w.app(b, `"b"`)
	rule := w.selecting(`{namespaces: [$HOME], nameExpression: `+byApp+`}`, `policy: {onConflict: Adopt}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationWriteFailed)
	message := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady).Message
	assert.Contains(t, message, `results in "b" for `+w.Home+"/a, which is another source of this rule")
	w.app(a, `"copy"`)
	w.Exists(a, w.Home, "copy", isOf("a"))
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.settles()
	source := w.Exists(b, w.Home, "b", isOf("b"))
	assert.NotContains(t, source.GetAnnotations(), v1.AnnotationOwnedByClusterProjection)
}
