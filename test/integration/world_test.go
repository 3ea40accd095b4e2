package integration_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/test/env/fixture"
)

// world is what one test sees of the cluster. Tests share nothing else, and run in parallel.
type world struct{ *fixture.World }

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	return &world{fixture.New(t, cluster.Config)}
}

// gone waits until there is no such object of the kind.
func (w *world) gone(like *unstructured.Unstructured, namespace, name string) {
	w.T.Helper()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(like.GroupVersionKind())
	object.SetNamespace(namespace)
	object.SetName(name)
	w.Gone(object)
}

// data returns an entry of a ConfigMap.
func data(object *unstructured.Unstructured, key string) string {
	value, _, _ := unstructured.NestedString(object.Object, "data", key)
	return value
}

// configMap is the manifest of a source that consents.
const configMap = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: $HOME
  annotations: {projection.sh/projectable: "true"}
data: {color: red, size: "1"}
`
