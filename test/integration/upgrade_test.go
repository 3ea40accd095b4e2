package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

func TestCopyOfAnOperatorThatDidNotApplyIsTakenOver(t *testing.T) {
	w := newWorld(t)
	legacy := w.object(`
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: $AWAY
  annotations: {projection.sh/owned-by-projection: $AWAY/settings}
  labels: {projection.sh/owned-by-projection-uid: lost}
data: {color: red, size: "1", removed-meanwhile: "1"}
`)
	require.NoError(t, w.client.Create(t.Context(), legacy, client.FieldOwner("an-earlier-operator")))
	w.merge(legacy, `{"metadata":{"labels":{"theirs":"1"}}}`)

	source := w.apply(configMap)
	rule := w.project("settings", source)
	w.ready(rule)
	copied := w.exists(source, w.away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "removed-meanwhile") == "" })
	assert.Equal(t, legacy.GetUID(), copied.GetUID())
	assert.Equal(t, source.Object["data"], copied.Object["data"])
	assert.Equal(t, string(rule.UID), copied.GetLabels()[v1.LabelOwnedByProjectionUID])
	assert.Equal(t, "1", copied.GetLabels()["theirs"], "what others added stays theirs")

	w.merge(source, `{"data":{"size":null}}`)
	w.exists(source, w.away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "size") == "" })
}

func TestCopyWhoseManagedFieldsWereWipedStaysOurs(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	rule := w.project("settings", source)
	w.ready(rule)
	copied := w.exists(source, w.away, "settings", anything)

	w.merge(copied, `{"metadata":{"managedFields":[{}]},"data":{"color":"green"}}`)
	w.exists(source, w.away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" })
	w.merge(source, `{"data":{"size":null}}`)
	w.exists(source, w.away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "size") == "" })
}
