package integration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

func (w *world) ruleGone(rule client.Object) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		return apierrors.IsNotFound(w.client.Get(w.t.Context(), client.ObjectKeyFromObject(rule), rule))
	}, soon, tick, "the rule is still there")
}

func TestRename(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	rule := w.project("settings", source)
	w.ready(rule)

	w.merge(rule, `{"spec":{"destination":{"name":"renamed"}}}`)
	w.exists(source, w.away, "renamed", anything)
	w.gone(source, w.away, "settings")
	w.ready(rule)
	assert.Equal(t, "renamed", rule.Status.DestinationName)
}

func TestRenameOntoAStrangerKeepsTheOldCopyUntilTheNewOneIsInPlace(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	rule := w.project("settings", source)
	w.ready(rule)
	stranger := w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: taken, namespace: $AWAY}}`)

	w.merge(rule, `{"spec":{"destination":{"name":"taken"}}}`)
	w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.exists(source, w.away, "settings", anything)

	w.delete(stranger)
	w.ready(rule)
	w.gone(source, w.away, "settings")
}

func TestChangeOfSource(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	rule := w.project("settings", source)
	w.ready(rule)
	w.apply(strings.NewReplacer("name: settings", "name: other", "red", "yellow").Replace(configMap))

	t.Run("same kind", func(t *testing.T) {
		w.merge(rule, `{"spec":{"source":{"name":"other"}}}`)
		w.exists(source, w.away, "other", func(o *unstructured.Unstructured) bool { return data(o, "color") == "yellow" })
		w.gone(source, w.away, "settings")
		w.ready(rule)
	})
	t.Run("another kind", func(t *testing.T) {
		widget := w.create(`
apiVersion: example.com/v1
kind: Widget
metadata: {name: other, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec: {size: 1}
`)
		w.merge(rule, `{"spec":{"source":{"group":"example.com","kind":"Widget"}}}`)
		w.exists(widget, w.away, "other", anything)
		w.gone(source, w.away, "other")
		w.ready(rule)
		require.Eventually(t, func() bool {
			require.NoError(t, w.client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
			return rule.Annotations[v1.AnnotationWrittenKinds] == "Widget.example.com"
		}, soon, tick, "the old kind is forgotten")
	})
	t.Run("deleted after the change", func(t *testing.T) {
		w.delete(rule)
		w.ruleGone(rule)
		widget := w.object(`{apiVersion: example.com/v1, kind: Widget}`)
		w.gone(widget, w.away, "other")
	})
}

func TestOverlay(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	w.merge(source, `{"metadata":{"labels":{"team":"core","stays":"1"}}}`)
	rule := w.project("settings", source)
	w.merge(rule, `{"spec":{"overlay":{"labels":{"team":"tenant"},"annotations":{"note":"copied"}}}}`)
	w.exists(source, w.away, "settings", func(o *unstructured.Unstructured) bool {
		return o.GetLabels()["team"] == "tenant" && o.GetLabels()["stays"] == "1" && o.GetAnnotations()["note"] == "copied"
	})

	w.merge(rule, `{"spec":{"overlay":null}}`)
	w.exists(source, w.away, "settings", func(o *unstructured.Unstructured) bool {
		_, noted := o.GetAnnotations()["note"]
		return o.GetLabels()["team"] == "core" && !noted
	})
}

func TestNamespaceOfTheCopyIsDeleted(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	rule := w.project("settings", source)
	w.ready(rule)

	namespace := w.object(`{apiVersion: v1, kind: Namespace, metadata: {name: $AWAY}}`)
	w.delete(namespace)
	w.gone(namespace, "", w.away)
}

func TestNamespaceOfTheSourceIsDeleted(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	rule := w.project("settings", source)
	w.ready(rule)

	w.delete(w.object(`{apiVersion: v1, kind: Namespace, metadata: {name: $HOME}}`))
	w.gone(source, w.away, "settings")
	w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
}
