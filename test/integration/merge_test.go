package integration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// layer creates a ConfigMap that consents, in the namespace home.
func (w *world) layer(name, data string) *unstructured.Unstructured {
	w.T.Helper()
	return w.Apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + name + `, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}, data: ` + data + `}`)
}

// merging has the rule merge layers of the namespace home. A name that ends with "?" is that of an optional one.
func (w *world) merging(policy v1.KeyConflictPolicy, names ...string) func(*v1.Projection) {
	return func(rule *v1.Projection) {
		rule.Spec.Destination.Name = rule.Name
		rule.Spec.Merge = &v1.Merge{OnKeyConflict: policy}
		for _, name := range names {
			name, optional := strings.CutSuffix(name, "?")
			rule.Spec.Merge.Layers = append(rule.Spec.Merge.Layers, v1.Layer{Namespace: w.Home, Name: name, Optional: optional})
		}
	}
}

// has waits until the copy has exactly these entries.
func (w *world) has(name string, entries map[string]string) *unstructured.Unstructured {
	w.T.Helper()
	return w.Exists(ofKind("ConfigMap"), w.Away, name, func(o *unstructured.Unstructured) bool {
		found, _, _ := unstructured.NestedStringMap(o.Object, "data")
		return assert.ObjectsAreEqual(entries, found)
	})
}

const (
	optOut = `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`
	optIn  = `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`
)

func TestKeysOfLayersAreMerged(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	second, third := w.layer("second", `{size: "2", shape: round}`), w.layer("third", `{size: "3"}`)
	rule := w.Project("merged", source, w.merging(v1.KeyConflictLast, "second", "third", "fourth?"))
	copied := w.has("merged", map[string]string{"color": "red", "size": "3", "shape": "round"})
	assert.Equal(t, "ConfigMap/"+w.Home+"/settings", copied.GetAnnotations()[v1.AnnotationSource])
	assert.Equal(t, "ConfigMap/"+w.Home+"/second,ConfigMap/"+w.Home+"/third", copied.GetAnnotations()[v1.AnnotationLayers])
	w.Ready(rule)
	resolved := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
	assert.Contains(t, resolved.Message, "2 of 3 layers are merged with it, without the missing ConfigMap "+w.Home+"/fourth")

	requests := w.requestsOf(func() {
		w.Merge(second, `{"data":{"shape":"square"}}`)
		w.has("merged", map[string]string{"color": "red", "size": "3", "shape": "square"})
		w.settles()
	})
	assert.Equal(t, 4, count(requests, "get", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Zero(t, count(requests, "update", "projections"), "%v", requests)

	requests = w.requestsOf(func() {
		w.Merge(second, `{"data":{"size":"22"}}`) // another layer wins
		w.settles()
	})
	assert.Zero(t, count(requests, "patch", "configmaps"), "%v", requests)

	w.layer("fourth", `{size: "4"}`)
	w.has("merged", map[string]string{"color": "red", "size": "4", "shape": "square"})
	w.Delete(w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: fourth, namespace: $HOME}}`))
	w.has("merged", map[string]string{"color": "red", "size": "3", "shape": "square"})
	w.Merge(rule, `{"spec":{"merge":{"onKeyConflict":"First"}}}`)
	w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "square"})
	w.Merge(rule, `{"spec":{"merge":{"onKeyConflict":null}}}`)
	failed := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	assert.Contains(t, failed.Message, "ConfigMap "+w.Home+"/settings and ConfigMap "+w.Home+"/second have different values for the key size")
	assert.NotContains(t, failed.Message, "22")
	w.Says(rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonRenderFailed)
	w.Merge(third, `{"data":{"size":"1"}}`)
	w.Merge(second, `{"data":{"size":"1"}}`)
	w.Ready(rule)
	w.Merge(rule, `{"spec":{"merge":null}}`)
	w.Exists(source, w.Away, "merged", func(o *unstructured.Unstructured) bool {
		_, named := o.GetAnnotations()[v1.AnnotationLayers]
		return data(o, "shape") == "" && !named
	})
}

// Keys of a Secret become a ConfigMap only if the owner of that very Secret declares them public.
func TestPublicKeysOfALayer(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Apply(strings.ReplaceAll(certificate, "$HOME", w.Home))
	rule := w.Project("merged", source, w.merging("", "root-ca"), func(rule *v1.Projection) {
		rule.Spec.Merge.Layers[0].Kind = "Secret"
		rule.Spec.Content.Data = v1.DataFilter{Include: []string{"color", "ca.crt", "tls.key"}, AllowMissing: true}
	})
	refused := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
	assert.Contains(t, refused.Message, "the owner of Secret "+w.Home+"/root-ca does not declare the key color public")
	secret := w.Exists(ofKind("Secret"), w.Home, "root-ca", fixture.Anything)
	w.Merge(rule, `{"spec":{"content":{"data":{"include":["ca.crt"]}}}}`)
	copied := w.has("merged", map[string]string{"ca.crt": "ca"})
	assert.Equal(t, "ca.crt", copied.GetAnnotations()[v1.AnnotationPublishedKeys])
	w.Merge(secret, `{"metadata":{"annotations":{"projection.sh/public-keys":"image"}}}`)
	w.gone(ofKind("ConfigMap"), w.Away, "merged")
}

// A copy that is retained has the consent of the owners of all layers that are in it.
func TestNoCopyIsRetainedWithoutTheConsentOfItsLayers(t *testing.T) {
	tests := map[string]struct {
		end      func(w *world, layer *unstructured.Unstructured)
		retained bool
	}{
		"all consent":          {func(*world, *unstructured.Unstructured) {}, true},
		"a layer is opted out": {func(w *world, layer *unstructured.Unstructured) { w.Merge(layer, optOut) }, false},
		"a layer is deleted":   {func(w *world, layer *unstructured.Unstructured) { w.Delete(layer) }, true},
		"it is opted out and deleted": {func(w *world, layer *unstructured.Unstructured) {
			w.Merge(layer, optOut)
			w.Delete(layer)
		}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
			rule := w.Project("merged", source, w.merging("", "second"), retaining(v1.RetainRuleDeleted))
			w.Ready(rule)
			recorded := &v1.Projection{}
			require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), recorded))
			assert.Len(t, strings.Split(recorded.GetAnnotations()[v1.AnnotationConsentingSource], ","), 2, "of the source and the layer")
			w.settles()
			test.end(w, layer)
			w.Delete(rule)
			w.Gone(rule)
			if !test.retained {
				w.gone(ofKind("ConfigMap"), w.Away, "merged")
				return
			}
			left := w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round"})
			assert.Empty(t, left.GetAnnotations())
		})
	}
}

// Copies that are kept while their source is deleted have no keys of a layer whose owner opts out.
func TestCopyThatOutlivesItsSourceHasTheConsentOfItsLayers(t *testing.T) {
	for _, named := range []string{"second", "second?"} {
		t.Run(named, func(t *testing.T) {
			w := newWorld(t)
			source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
			rule := w.Project("merged", source, w.merging("", named), retaining(v1.RetainSourceGone))
			w.Ready(rule)
			w.Delete(source)
			w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
			w.settles()
			w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round"})
			w.Merge(layer, optOut)
			w.gone(ofKind("ConfigMap"), w.Away, "merged")
		})
	}
}

// The owner of each layer permits namespaces.
func TestNamespacesThatALayerPermits(t *testing.T) {
	w := newWorld(t)
	source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, w.merging("", "second"))
	w.Ready(rule)
	w.Merge(layer, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: team=`+w.Home+`"}}}`)
	w.gone(ofKind("ConfigMap"), w.Away, "merged")
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotPermitted)
	w.label(w.Away, `{"team":"`+w.Home+`"}`)
	copied := w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round"})
	assert.Equal(t, v1.ProjectableFalse, copied.GetAnnotations()[v1.AnnotationProjectable], "it is copied no further")
	w.label(w.Away, `{"team":null}`)
	w.gone(ofKind("ConfigMap"), w.Away, "merged")
}

// What a rule merges does not come from its own copies.
func TestLayersThatComeFromTheCopy(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	onto := w.Project("settings", source, w.merging(v1.KeyConflictJoin), func(rule *v1.Projection) {
		rule.Spec.Merge.Layers = []v1.Layer{{Namespace: w.Away, Name: "settings"}}
	})
	w.Says(onto, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotFound)
	w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY, annotations: {projection.sh/projectable: "true"}}, data: {color: blue}}`)
	said := w.Says(onto, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	assert.Contains(t, said.Message, "the destination is a layer of this rule")
	w.Merge(onto, `{"spec":{"policy":{"onConflict":"Skip"}}}`)
	said = w.Says(onto, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	assert.Contains(t, said.Message, "the destination is a layer of this rule")

	rule := w.Project("merged", source, func(rule *v1.Projection) { rule.Spec.Destination.Name = "merged" })
	w.Ready(rule)
	w.Merge(w.has("merged", map[string]string{"color": "red", "size": "1"}), optIn)
	w.Merge(rule, `{"spec":{"destination":{"name":"again"},"merge":{"onKeyConflict":"Join","layers":[{"namespace":"`+w.Away+`","name":"merged"}]}}}`)
	said = w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
	assert.Contains(t, said.Message, "the layer ConfigMap "+w.Away+"/merged")

	// Another rule copies the copy to where a layer is to be.
	w.Merge(rule, `{"spec":{"merge":null}}`)
	w.Merge(w.has("again", map[string]string{"color": "red", "size": "1"}), optIn)
	w.Create(`
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: back, namespace: $HOME}
spec:
  source: {kind: ConfigMap, namespace: $AWAY, name: again}
  destination: {name: back}
`)
	w.Merge(w.Exists(source, w.Home, "back", fixture.Anything), optIn)
	w.Merge(rule, `{"spec":{"merge":{"onKeyConflict":"Join","layers":[{"namespace":"`+w.Home+`","name":"back","optional":true}]}}}`)
	said = w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
	assert.Contains(t, said.Message, "what this rule merges must not come from its own copies")
	w.Merge(source, `{"data":{"color":"blue"}}`)
	w.settles()
	w.has("again", map[string]string{"color": "red", "size": "1"})
}

// A layer that is also the source, or that is named twice, is read once.
func TestLayerThatIsNamedTwice(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, w.merging("", "settings", "second", "second?"))
	copied := w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round"})
	assert.Equal(t, "ConfigMap/"+w.Home+"/settings,ConfigMap/"+w.Home+"/second", copied.GetAnnotations()[v1.AnnotationLayers])
	w.Ready(rule)
	requests := w.requestsOf(func() {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.has("merged", map[string]string{"color": "blue", "size": "1", "shape": "round"})
		w.settles()
	})
	assert.Equal(t, 2, count(requests, "get", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
}

// A copy that keeps its content does not keep that of a layer whose owner opts out.
func TestCopyThatKeepsItsContentHasNoLayerThatIsOptedOut(t *testing.T) {
	w := newWorld(t)
	source, layer, third := w.Apply(configMap), w.layer("second", `{shape: round}`), w.layer("third", `{other: "1"}`)
	rule := w.Project("merged", source, w.merging("", "second?", "third?"), func(rule *v1.Projection) { rule.Spec.Policy.Updates = v1.UpdateCreateOnly })
	w.Ready(rule)
	w.Delete(third)
	w.Merge(source, `{"data":{"color":"blue"}}`)
	w.settles()
	w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round", "other": "1"})
	w.Merge(layer, optOut)
	w.has("merged", map[string]string{"color": "blue", "size": "1"})
}
