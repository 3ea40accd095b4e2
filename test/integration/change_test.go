package integration_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

func TestRename(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)

	w.settles()

	requests := w.requestsOf(func() {
		w.Merge(rule, `{"spec":{"destination":{"name":"renamed"}}}`)
		w.Exists(source, w.Away, "renamed", fixture.Anything)
		w.gone(source, w.Away, "settings")
		w.Ready(rule)
		w.settles()
	})
	assert.Equal(t, "renamed", rule.Status.DestinationName)
	made := slices.DeleteFunc(names(requests), func(name string) bool { return !strings.HasSuffix(name, " configmaps") })
	assert.Equal(t, []string{"get configmaps", "patch configmaps", "delete configmaps"}, made, "the new copy comes before the old one goes")
}

func TestRenameOntoAForeignObjectKeepsTheOldCopyUntilTheNewOneIsInPlace(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	foreign := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: taken, namespace: $AWAY}}`)

	w.Merge(rule, `{"spec":{"destination":{"name":"taken"}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.Exists(source, w.Away, "settings", fixture.Anything)

	w.Delete(foreign)
	w.Ready(rule)
	w.gone(source, w.Away, "settings")
}

func TestChangeOfSource(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	w.Apply(strings.NewReplacer("name: settings", "name: other", "red", "yellow").Replace(configMap))

	t.Run("same kind", func(t *testing.T) {
		w.Merge(rule, `{"spec":{"source":{"name":"other"}}}`)
		w.Exists(source, w.Away, "other", func(o *unstructured.Unstructured) bool { return data(o, "color") == "yellow" })
		w.gone(source, w.Away, "settings")
		w.Ready(rule)
	})
	t.Run("another kind", func(t *testing.T) {
		widget := w.Create(`
apiVersion: example.com/v1
kind: Widget
metadata: {name: other, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec: {size: 1}
`)
		w.Merge(rule, `{"spec":{"source":{"group":"example.com","kind":"Widget"}}}`)
		w.Exists(widget, w.Away, "other", fixture.Anything)
		w.gone(source, w.Away, "other")
		w.Ready(rule)
		require.Eventually(t, func() bool {
			require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
			return rule.Annotations[v1.AnnotationWrittenKinds] == "Widget.example.com"
		}, env.Timeout, env.Interval, "the old kind is forgotten")
	})
	t.Run("deleted after the change", func(t *testing.T) {
		w.Delete(rule)
		w.Gone(rule)
		widget := w.Object(`{apiVersion: example.com/v1, kind: Widget}`)
		w.gone(widget, w.Away, "other")
	})
}

func TestOverlay(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Merge(source, `{"metadata":{"labels":{"team":"core","stays":"1"}}}`)
	rule := w.Project("settings", source)
	w.Merge(rule, `{"spec":{"overlay":{"labels":{"team":"tenant"},"annotations":{"note":"copied"}}}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return o.GetLabels()["team"] == "tenant" && o.GetLabels()["stays"] == "1" && o.GetAnnotations()["note"] == "copied"
	})

	w.Merge(rule, `{"spec":{"overlay":null}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		_, noted := o.GetAnnotations()["note"]
		return o.GetLabels()["team"] == "core" && !noted
	})
}

func TestNamespaceOfTheCopyIsDeleted(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)

	namespace := w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: $AWAY}}`)
	w.Delete(namespace)
	w.gone(namespace, "", w.Away)
}

func TestNamespaceOfTheSourceIsDeleted(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)

	w.Delete(w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: $HOME}}`))
	w.gone(source, w.Away, "settings")
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
}
