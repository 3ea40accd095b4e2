package health_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/components/health"
)

func parse(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	text, err := yaml.YAMLToJSON([]byte(manifest))
	require.NoError(t, err)
	require.NoError(t, object.UnmarshalJSON(text))
	return object
}

func TestWhatAStatusSays(t *testing.T) {
	const (
		app   = "apiVersion: apps/v1\nmetadata: {name: web, generation: 3}\n"
		core  = "apiVersion: v1\nmetadata: {name: web}\n"
		other = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: web, generation: 3}\n"
	)
	tests := map[string]struct{ manifest, reason string }{
		"a Deployment whose pods are ready": {
			app + "kind: Deployment\nstatus: {observedGeneration: 3, replicas: 1, updatedReplicas: 1, readyReplicas: 1}", "",
		},
		"a Deployment without a ready pod": {
			app + "kind: Deployment\nstatus: {observedGeneration: 3, replicas: 1, updatedReplicas: 1}", "Waiting for replicas: 0/1 ready",
		},
		"a Deployment that its controller has not seen": {app + "kind: Deployment", "Waiting for deployment controller to observe latest spec"},
		"a Deployment that its controller has seen before": {
			app + "kind: Deployment\nstatus: {observedGeneration: 2, replicas: 1, updatedReplicas: 1, readyReplicas: 1}",
			"its controller has not seen its newest spec",
		},
		"a StatefulSet":        {app + "kind: StatefulSet\nstatus: {observedGeneration: 3}", "Waiting for replicas: 0/1 ready"},
		"a ReplicaSet":         {app + "kind: ReplicaSet\nspec: {replicas: 2}\nstatus: {observedGeneration: 3, readyReplicas: 2}", ""},
		"a DaemonSet":          {app + "kind: DaemonSet\nstatus: {observedGeneration: 3, desiredNumberScheduled: 2, numberReady: 1}", "Waiting for pods: 1/2 ready"},
		"a Pod that starts":    {core + "kind: Pod\nstatus: {phase: Pending}", "Pod is pending"},
		"a Pod that succeeded": {core + "kind: Pod\nstatus: {phase: Succeeded}", ""},
		"a Job that runs":      {"apiVersion: batch/v1\nkind: Job\nstatus: {active: 1}", "Job has 1 active pod(s)"},
		"a Job that is complete": {
			"apiVersion: batch/v1\nkind: Job\nstatus: {conditions: [{type: Complete, status: \"True\"}]}", "",
		},
		"a Job that failed, without its message": {
			"apiVersion: batch/v1\nkind: Job\nstatus: {conditions: [{type: Failed, status: \"True\", message: \"password: x\"}]}", "Job failed",
		},
		"a Service":                       {core + "kind: Service", ""},
		"a Service without its address":   {core + "kind: Service\nspec: {type: LoadBalancer}", "Awaiting load balancer IP/hostname assignment"},
		"a claim":                         {core + "kind: PersistentVolumeClaim\nstatus: {phase: Pending}", "Waiting for PVC to be bound"},
		"a claim that is bound":           {core + "kind: PersistentVolumeClaim\nstatus: {phase: Bound}", ""},
		"an object without a status":      {other, ""},
		"a kind without a status":         {core + "kind: ConfigMap\ndata: {color: red}", ""},
		"an object that is being deleted": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, deletionTimestamp: \"2026-01-02T03:04:05Z\"}", "it is being deleted"},
		"an object that its controller has not seen": {
			other + "status: {observedGeneration: 2}", "its controller has not seen its newest spec",
		},
		"a status of a later generation":       {other + "status: {observedGeneration: 4}", "its controller has not seen its newest spec"},
		"an object that is ready":              {other + "status: {observedGeneration: 3, conditions: [{type: Ready, status: \"True\"}]}", ""},
		"an object that is not ready":          {other + "status: {conditions: [{type: Ready, status: \"False\", reason: Broken, message: no}]}", "its condition Ready is False (Broken)"},
		"an object that may be ready":          {other + "status: {conditions: [{type: Ready, status: maybe}]}", "its condition Ready is Unknown"},
		"a condition of an earlier generation": {other + "status: {conditions: [{type: Ready, status: \"True\", observedGeneration: 2}]}", "its condition Ready is Unknown"},
		"a condition of this generation":       {other + "status: {conditions: [{type: Ready, status: \"True\", observedGeneration: 3}]}", ""},
		"another condition":                    {other + "status: {conditions: [{type: Synced, status: \"False\"}]}", ""},
		"an object that stalls": {
			other + "status: {conditions: [{type: Stalled, status: \"True\", reason: GaveUp}, {type: Ready, status: \"True\"}]}", "its condition Stalled is True (GaveUp)",
		},
		"an object that is reconciled":         {other + "status: {conditions: [{type: Reconciling, status: \"True\"}]}", "its condition Reconciling is True"},
		"an object that is reconciled no more": {other + "status: {conditions: [{type: Reconciling, status: \"False\"}]}", ""},
		"a reason that is a sentence":          {other + "status: {conditions: [{type: Ready, status: \"False\", reason: \"the password is x\"}]}", "its condition Ready is False"},
		"conditions that are none":             {other + "status: {conditions: [x, {type: Ready}, {status: \"False\"}]}", ""},
		"a status that is none":                {other + "status: fine", ""},
		"a status that cannot be read":         {app + "kind: Deployment\nstatus: {replicas: many}", "its status cannot be read"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := parse(t, test.manifest)
			before := object.DeepCopy()
			assert.Equal(t, health.Verdict{Healthy: test.reason == "", Reason: test.reason}, health.Of(object))
			assert.Equal(t, before, object, "the object was changed")
		})
	}
}

func TestKindsWithoutAStatus(t *testing.T) {
	assert.False(t, health.HasStatus(schema.GroupKind{Kind: "Secret"}))
	assert.False(t, health.HasStatus(schema.GroupKind{Group: "networking.k8s.io", Kind: "NetworkPolicy"}))
	assert.True(t, health.HasStatus(schema.GroupKind{Group: "example.com", Kind: "Secret"}))
	assert.True(t, health.HasStatus(schema.GroupKind{Group: "apps", Kind: "Deployment"}))
}
