package crash_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

const threeReplicas = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: settings, namespace: %s, annotations: {projection.sh/projectable: "true"}},
spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: a}]}}}}`

// TestStatusOfAnOperatorThatDidNotKnowTheFilter has an operator serve a rule that excludes a field as if it excluded none, and report that
// all is well: it does not know the filter, and may not read the definitions, which do. The next operator does not take its word for it.
func TestStatusOfAnOperatorThatDidNotKnowTheFilter(t *testing.T) {
	t.Parallel()
	const lane = "filter"
	former, _ := serve(t, lane, "former")
	s := newSpread(t, lane, threeReplicas)
	s.join(nil)
	former.Kill()

	rule := s.rule("rule")
	s.patch(rule, `{"spec":{"content":{"fields":{"exclude":["spec.replicas"]}}}}`)
	status := &v1.ClusterProjection{}
	require.NoError(t, s.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), status))
	status.Status.ObservedGeneration = status.Generation
	for i := range status.Status.Conditions {
		status.Status.Conditions[i].ObservedGeneration = status.Generation
	}
	require.True(t, meta.IsStatusConditionTrue(status.Status.Conditions, v1.ConditionReady))
	require.NoError(t, s.Client.Status().Update(t.Context(), status))

	serve(t, lane, "next")
	s.editSpread(`{"spec":{"minReadySeconds":7}}`)
	for _, member := range s.members {
		copied := s.Exists(s.of, member, "settings", func(o *unstructured.Unstructured) bool {
			seconds, _, _ := unstructured.NestedInt64(o.Object, "spec", "minReadySeconds")
			return seconds == 7
		})
		replicas, _, _ := unstructured.NestedInt64(copied.Object, "spec", "replicas")
		assert.Equal(t, int64(3), replicas, "the copy in "+member+" is scaled")
	}
}

func (s *spread) editSpread(patch string) {
	s.T.Helper()
	require.True(s.T, s.patch(s.of, patch))
}
