package integration_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// What the copies are to be decides nothing about copies in namespaces that are not targets any more.
func TestDroppedNamespaceWhileALayerIsMissing(t *testing.T) {
	w := newWorld(t)
	source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
	one, two := w.member(w.selected()), w.member(w.selected())
	rule := w.fanOut(source, `{name: merged, namespaceSelector: {matchLabels: {group: $HOME}}}
  merge: {layers: [{namespace: $HOME, name: second}]}`)
	w.counts(rule, 2, 0)
	w.Delete(layer)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotFound)
	w.settles()
	w.label(one, `{"group":null}`)
	w.gone(source, one, "merged")
	w.settles()
	w.Exists(source, two, "merged", func(*unstructured.Unstructured) bool { return true })
}
