package integration_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// ca creates a ConfigMap that consents and bears the label by which rules select what they merge, in the namespace home.
func (w *world) ca(name, data string) *unstructured.Unstructured {
	w.T.Helper()
	return w.Apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + name + `, namespace: $HOME, labels: {ca: "true"},
annotations: {projection.sh/projectable: "true"}}, data: ` + data + `}`)
}

var cas = &v1.SourceSelector{MatchLabels: map[string]v1.LabelValue{"ca": "true"}}

// bundling has the rule merge all that it selects in the namespace home.
func (w *world) bundling(layers ...v1.Layer) func(*v1.Projection) {
	return func(rule *v1.Projection) {
		rule.Spec.Source.Name, rule.Spec.Source.Selector = "", cas
		rule.Spec.Destination.Name = rule.Name
		rule.Spec.Merge = &v1.Merge{Layers: layers}
	}
}

// adding has the rule add what it selects in the namespace home to its source.
func (w *world) adding(optional bool) func(*v1.Projection) {
	return func(rule *v1.Projection) {
		rule.Spec.Destination.Name = rule.Name
		rule.Spec.Merge = &v1.Merge{Layers: []v1.Layer{{Namespace: w.Home, Selector: cas, Optional: optional}}}
	}
}

const unlabel = `{"metadata":{"labels":{"ca":null}}}`

func TestSelectedSourcesBecomeOneCopy(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	b := w.ca("b", `{b: "2"}`)
	w.ca("c", `{c: "3"}`)
	rule := w.Project("bundle", source, w.bundling())
	copied := w.has("bundle", map[string]string{"b": "2", "c": "3"})
	w.Ready(rule)
	assert.Equal(t, "ConfigMap/"+w.Home+"/*", copied.GetAnnotations()[v1.AnnotationSource])
	assert.Equal(t, "ConfigMap/"+w.Home+"/b,ConfigMap/"+w.Home+"/c", copied.GetAnnotations()[v1.AnnotationLayers])
	resolved := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
	assert.Contains(t, resolved.Message, "source.selector matches 2 ConfigMap objects in "+w.Home)
	w.settles()

	requests := w.requestsOf(func() {
		w.Merge(b, `{"data":{"b":"22"}}`)
		w.has("bundle", map[string]string{"b": "22", "c": "3"})
		w.settles()
	})
	assert.Equal(t, 1, count(requests, "list", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Zero(t, count(requests, "get", "configmaps"), "%v", requests)

	requests = w.requestsOf(func() {
		w.ca("a", `{a: "1"}`)
		w.has("bundle", map[string]string{"a": "1", "b": "22", "c": "3"})
		w.settles()
	})
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)

	w.Merge(b, unlabel)
	w.has("bundle", map[string]string{"a": "1", "c": "3"})
	w.Ready(rule)
}

func TestSelectedLayersAreAdded(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	b := w.ca("b", `{b: "2"}`)
	rule := w.Project("bundle", source, w.adding(false))
	w.has("bundle", map[string]string{"color": "red", "size": "1", "b": "2"})
	w.Ready(rule)
	resolved := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
	assert.Contains(t, resolved.Message, "1 of 1 layers are merged with it")
	w.settles()
	requests := w.requestsOf(func() {
		w.ca("c", `{c: "3"}`)
		w.has("bundle", map[string]string{"color": "red", "size": "1", "b": "2", "c": "3"})
		w.settles()
	})
	assert.Equal(t, 1, count(requests, "list", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "get", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	w.Delete(b)
	w.has("bundle", map[string]string{"color": "red", "size": "1", "c": "3"})
	w.Ready(rule)
}

// TestSelectedObjectsThatAreNotMerged is each way in which an object is not merged that a selector selects.
func TestSelectedObjectsThatAreNotMerged(t *testing.T) {
	tests := map[string]func(w *world, object *unstructured.Unstructured){
		"deleted": func(w *world, object *unstructured.Unstructured) { w.Delete(object) },
		"vetoed":  func(w *world, object *unstructured.Unstructured) { w.Merge(object, optOut) },
		"silent": func(w *world, object *unstructured.Unstructured) {
			w.Merge(object, `{"metadata":{"annotations":{"projection.sh/projectable":null}}}`)
		},
		"unlabelled":            func(w *world, object *unstructured.Unstructured) { w.Merge(object, unlabel) },
		"unlabelled and vetoed": func(w *world, object *unstructured.Unstructured) { w.Merge(object, unlabel); w.Merge(object, optOut) },
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Apply(configMap)
			w.ca("a", `{a: "1"}`)
			b := w.ca("b", `{b: "2"}`)
			bundle, added := w.Project("bundle", source, w.bundling()), w.Project("added", source, w.adding(false))
			w.has("bundle", map[string]string{"a": "1", "b": "2"})
			w.has("added", map[string]string{"color": "red", "size": "1", "a": "1", "b": "2"})
			w.settles()
			end(w, b)
			w.has("bundle", map[string]string{"a": "1"})
			w.has("added", map[string]string{"color": "red", "size": "1", "a": "1"})
			w.Ready(bundle)
			w.Ready(added)
		})
	}
}

// A rule without a source has no copy; one without a required layer keeps its copies, and one without an optional layer does without it.
func TestNothingIsSelectedToMerge(t *testing.T) {
	w := newWorld(t)
	source, a := w.Apply(configMap), w.ca("a", `{a: "1"}`)
	bundle, required, optional := w.Project("bundle", source, w.bundling()), w.Project("required", source, w.adding(false)), w.Project("optional", source, w.adding(true))
	w.has("bundle", map[string]string{"a": "1"})
	w.has("required", map[string]string{"color": "red", "size": "1", "a": "1"})
	w.has("optional", map[string]string{"color": "red", "size": "1", "a": "1"})
	w.settles()
	w.Delete(a)
	w.gone(ofKind("ConfigMap"), w.Away, "bundle")
	w.has("optional", map[string]string{"color": "red", "size": "1"})
	said := w.Says(required, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotFound)
	assert.Contains(t, said.Message, "a selector in merge.layers matches no ConfigMap in "+w.Home+" whose owner consents; copies are kept")
	w.Ready(bundle)
	w.Ready(optional)
	resolved := w.Says(bundle, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
	assert.Contains(t, resolved.Message, "source.selector matches no ConfigMap in "+w.Home)
	require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(bundle), bundle))
	assert.Empty(t, bundle.Status.DestinationName, "the last copy was deleted")
	w.settles()
	w.has("required", map[string]string{"color": "red", "size": "1", "a": "1"})

	b := w.ca("b", `{b: "2"}`)
	w.has("bundle", map[string]string{"b": "2"})
	w.has("required", map[string]string{"color": "red", "size": "1", "b": "2"})
	w.settles()
	w.Merge(b, optOut) // nothing is left to add, and its keys must not stay
	w.gone(ofKind("ConfigMap"), w.Away, "required")
	w.gone(ofKind("ConfigMap"), w.Away, "bundle")
	w.has("optional", map[string]string{"color": "red", "size": "1"})
}

// A copy that cannot be written keeps no keys of an object that is not selected any more and that is opted out.
func TestOptOutOfWhatIsNotSelectedAnyMore(t *testing.T) {
	w := newWorld(t)
	source, b, third := w.Apply(configMap), w.ca("b", `{b: "2"}`), w.layer("third", `{other: "1"}`)
	w.ca("a", `{a: "1"}`)
	rule := w.Project("bundle", source, w.bundling(v1.Layer{Namespace: w.Home, Name: "third"}))
	w.has("bundle", map[string]string{"a": "1", "b": "2", "other": "1"})
	w.Ready(rule)
	w.Delete(third)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotFound)
	w.Merge(b, unlabel)
	w.settles()
	w.has("bundle", map[string]string{"a": "1", "b": "2", "other": "1"})
	w.Merge(b, optOut)
	w.gone(ofKind("ConfigMap"), w.Away, "bundle")
}

func TestAccountReadsWhatIsMerged(t *testing.T) {
	w := newWorld(t)
	w.grant("copier", w.Home, "get")
	w.grant("copier", w.Away, "create patch get")
	source := w.Apply(configMap)
	w.ca("a", `{a: "1"}`)
	b := w.ca("b", `{b: "2"}`)
	rule := w.Project("bundle", source, w.bundling(), asAccount("copier"))
	w.has("bundle", map[string]string{"a": "1", "b": "2"})
	w.Ready(rule)
	w.settles()
	requests := w.requestsOf(func() {
		w.Merge(b, `{"data":{"b":"22"}}`)
		w.has("bundle", map[string]string{"a": "1", "b": "22"})
		w.settles()
	})
	assert.Equal(t, 1, count(requests, "list", "configmaps"), "%v", requests)
	assert.Equal(t, 2, count(requests, "get", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	w.Merge(b, optOut)
	w.has("bundle", map[string]string{"a": "1"})
}

func TestTooManyObjectsAreSelectedToMerge(t *testing.T) {
	w := newWorld(t)
	source, a := w.Apply(configMap), w.ca("a", `{a: "1"}`)
	rule := w.Project("bundle", source, w.bundling())
	w.has("bundle", map[string]string{"a": "1"})
	w.Merge(rule, `{"spec":{"suspend":true}}`)
	for i := range v1.MaxSources {
		w.ca(fmt.Sprintf("more-%03d", i), `{x: "1"}`)
	}
	w.Merge(rule, `{"spec":{"suspend":false}}`)
	said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
	assert.Contains(t, said.Message, "the selectors of this rule match 501 objects; a rule merges at most 500; copies are kept")
	w.settles()
	w.has("bundle", map[string]string{"a": "1"})
	w.Merge(a, optOut)
	w.gone(ofKind("ConfigMap"), w.Away, "bundle")
}

func TestWhatIsMergedIsTooLarge(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	big := make([]byte, 900_000)
	for i := range big {
		big[i] = 'x'
	}
	rule := w.Project("bundle", source, w.bundling())
	w.ca("a", `{a: "1"}`)
	w.has("bundle", map[string]string{"a": "1"})
	for i := range 5 {
		w.ca(fmt.Sprintf("big-%d", i), `{x: "`+string(big)+`"}`)
	}
	said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	require.Contains(t, said.Message, "have together more than 4 MiB")
	w.has("bundle", map[string]string{"a": "1", "x": string(big)})
}
