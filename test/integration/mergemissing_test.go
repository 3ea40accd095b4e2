package integration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// TestLayersThatAreNotThere is each way in which a layer is not there, and what becomes of the copies.
func TestLayersThatAreNotThere(t *testing.T) {
	whole, without := map[string]string{"color": "red", "size": "1", "shape": "round"}, map[string]string{"color": "red", "size": "1"}
	tests := map[string]struct {
		optional bool
		end      func(w *world, layer *unstructured.Unstructured)
		left     map[string]string // nil: the copy is deleted
		reason   string            // empty: the rule is ready
		message  string
	}{
		"required, deleted": {false, func(w *world, layer *unstructured.Unstructured) { w.Delete(layer) }, whole, v1.ReasonSourceNotFound,
			"the layer ConfigMap $HOME/second is missing; copies are kept"},
		"required, vetoed": {false, func(w *world, layer *unstructured.Unstructured) { w.Merge(layer, optOut) }, nil, v1.ReasonSourceOptedOut,
			"the owner of ConfigMap $HOME/second has opted out"},
		"required, silent": {false, func(w *world, layer *unstructured.Unstructured) {
			w.Merge(layer, `{"metadata":{"annotations":{"projection.sh/projectable":null}}}`)
		}, nil, v1.ReasonSourceNotProjectable, "the owner of ConfigMap $HOME/second has not opted in"},
		"optional, deleted": {true, func(w *world, layer *unstructured.Unstructured) { w.Delete(layer) }, without, "", ""},
		"optional, vetoed":  {true, func(w *world, layer *unstructured.Unstructured) { w.Merge(layer, optOut) }, without, "", ""},
		"optional, silent": {true, func(w *world, layer *unstructured.Unstructured) {
			w.Merge(layer, `{"metadata":{"annotations":{"projection.sh/projectable":null}}}`)
		}, without, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
			named := "second"
			if test.optional {
				named += "?"
			}
			rule := w.Project("merged", source, w.merging("", named))
			w.Ready(rule)
			w.settles()
			test.end(w, layer)
			if test.left == nil {
				w.gone(ofKind("ConfigMap"), w.Away, "merged")
			}
			if test.reason == "" {
				w.has("merged", test.left)
				w.Ready(rule)
				return
			}
			said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, test.reason)
			assert.Contains(t, said.Message, strings.ReplaceAll(test.message, "$HOME", w.Home))
			w.settles()
			if test.left != nil {
				w.has("merged", test.left)
				w.layer("second", `{shape: square}`)
				w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "square"})
				w.Ready(rule)
			}
		})
	}
}

// An opt-out holds, whatever becomes of other layers: here the service account loses the permission to read one.
func TestOptOutOfALayerWhileAnotherIsUnreadable(t *testing.T) {
	for _, optional := range []string{"", "?"} {
		t.Run("vetoed"+optional, func(t *testing.T) {
			w := newWorld(t)
			w.Define("$THIRD", w.Namespace("third", nil))
			third := w.Apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: third, namespace: $THIRD, annotations: {projection.sh/projectable: "true"}}, data: {third: "3"}}`)
			w.grant("copier", w.Home, "get")
			w.grant("copier", w.Away, "create patch get")
			reading := w.grant("copier", third.GetNamespace(), "get")
			source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
			rule := w.Project("merged", source, w.merging("", "second"+optional), asAccount("copier"), func(rule *v1.Projection) {
				rule.Spec.Merge.Layers = append(rule.Spec.Merge.Layers, v1.Layer{Namespace: third.GetNamespace(), Name: "third"})
			})
			w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round", "third": "3"})
			w.Ready(rule)
			w.revoke(reading, "get")
			w.Merge(source, `{"data":{"color":"blue"}}`)
			w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceFetchFailed)
			w.settles()
			w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round", "third": "3"})

			w.Merge(layer, optOut)
			w.gone(ofKind("ConfigMap"), w.Away, "merged")
		})
	}
}

// The copies of a rule that cannot merge them do not keep the keys of an optional layer whose owner opts out.
func TestOptOutOfALayerOfARuleThatCannotBeCarriedOut(t *testing.T) {
	w := newWorld(t)
	source, layer, third := w.Apply(configMap), w.layer("second", `{shape: round}`), w.layer("third", `{other: "1"}`)
	rule := w.Project("merged", source, w.merging("", "second?", "third"))
	w.Ready(rule)
	w.Merge(third, `{"data":{"color":"blue"}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	w.settles()
	w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round", "other": "1"})
	w.Merge(layer, optOut)
	w.gone(ofKind("ConfigMap"), w.Away, "merged")
	w.Merge(third, `{"data":{"color":"red"}}`)
	w.has("merged", map[string]string{"color": "red", "size": "1", "other": "1"})
}
