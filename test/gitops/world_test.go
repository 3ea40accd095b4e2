package gitops_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// world is what one test sees of the cluster.
type world struct{ *fixture.World }

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{fixture.New(t, cluster.Config)}
}

// ends deletes a rule, and waits until nothing holds it.
func (w *world) ends(rule client.Object) {
	w.T.Helper()
	w.Delete(rule)
	w.Gone(rule)
}

// says waits until the rule is not ready, or ready, for the reason, and returns it as it is then.
func (w *world) says(rule *unstructured.Unstructured, reason string) *unstructured.Unstructured {
	w.T.Helper()
	live := rule.DeepCopy()
	w.Says(live, v1.ConditionReady, "", reason)
	return live
}

// Manifests that several tests need.
const (
	source = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}}`

	projection = `
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: rule, namespace: $AWAY, labels: {served: ""}}
spec: {source: {kind: ConfigMap, namespace: $HOME, name: settings}}
`
	valued = `
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: rule, namespace: $AWAY, labels: {served: ""}}
spec:
  source: {kind: ConfigMap, namespace: $HOME, name: settings}
  overlay: {fields: [{path: data.at, expression: target.name}]}
`
	clusterProjection = `
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $AWAY, labels: {served: ""}}
spec: {source: {kind: ConfigMap, namespace: $HOME, name: settings}, destination: {namespaces: [$AWAY]}}
`
	foreign = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY}}`
)

// of returns the rule with another source.
func of(rule, source string) string {
	return strings.Replace(rule, "kind: ConfigMap, namespace: $HOME, name: settings", source, 1)
}
