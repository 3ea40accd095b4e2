package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

func TestCopyOfAnOperatorThatDidNotApplyIsTakenOver(t *testing.T) {
	w := newWorld(t)
	legacy := w.Object(`
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: $AWAY
  annotations: {projection.sh/owned-by-projection: $AWAY/settings}
  labels: {projection.sh/owned-by-projection-uid: lost}
data: {color: red, size: "1", removed-meanwhile: "1"}
`)
	require.NoError(t, w.Client.Create(t.Context(), legacy, client.FieldOwner("an-earlier-operator")))
	w.Merge(legacy, `{"metadata":{"labels":{"theirs":"1"}}}`)

	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	copied := w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "removed-meanwhile") == "" })
	assert.Equal(t, legacy.GetUID(), copied.GetUID())
	assert.Equal(t, source.Object["data"], copied.Object["data"])
	assert.Equal(t, string(rule.UID), copied.GetLabels()[v1.LabelOwnedByProjectionUID])
	assert.Equal(t, "1", copied.GetLabels()["theirs"], "what others added stays theirs")

	w.Merge(source, `{"data":{"size":null}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "size") == "" })
}

func TestCopyWhoseManagedFieldsWereWipedStaysOurs(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	copied := w.Exists(source, w.Away, "settings", fixture.Anything)

	w.Merge(copied, `{"metadata":{"managedFields":[{}]},"data":{"color":"green"}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" })
	w.Merge(source, `{"data":{"size":null}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "size") == "" })
}
