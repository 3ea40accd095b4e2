package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

func TestContentChoosesLabelsAndAnnotations(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Merge(source, `{"metadata":{"labels":{"app":"shop","pipeline.example.com/run":"7"},"annotations":{"note":"n","other":"o"}}}`)
	rule := w.Project("settings", source)
	w.Merge(rule, `{"spec":{"content":{"labels":{"exclude":["pipeline.example.com/*"]},"annotations":{"include":["note"]}}}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		_, run := o.GetLabels()["pipeline.example.com/run"]
		_, other := o.GetAnnotations()["other"]
		return !run && !other && o.GetLabels()["app"] == "shop" && o.GetAnnotations()["note"] == "n"
	})
	w.Ready(rule)

	w.Merge(rule, `{"spec":{"content":null}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return o.GetLabels()["pipeline.example.com/run"] == "7" && o.GetAnnotations()["other"] == "o"
	})
}

// A label that is no longer copied is removed from the copies, unless somebody else has set it, too.
func TestLabelThatIsNoLongerCopied(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Merge(source, `{"metadata":{"labels":{"ours":"1","shared":"1"}}}`)
	rule := w.Project("settings", source)
	copied := w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return o.GetLabels()["shared"] == "1" })
	applied := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY, labels: {shared: "1"}}}`)
	data, err := applied.MarshalJSON()
	require.NoError(t, err)
	require.NoError(t, w.Client.Patch(t.Context(), copied, client.RawPatch(types.ApplyPatchType, data), client.FieldOwner("somebody")))

	w.Merge(rule, `{"spec":{"content":{"labels":{"exclude":["ours","shared"]}}}}`)

	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		_, ours := o.GetLabels()["ours"]
		return !ours && o.GetLabels()["shared"] == "1"
	})
	w.Ready(rule)
}

func TestEditOfWhatIsNotCopiedWritesNothing(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Merge(rule, `{"spec":{"content":{"labels":{"exclude":["run"]}}}}`)
	w.Ready(rule)
	w.settles()
	before := w.Exists(source, w.Away, "settings", fixture.Anything)

	requests := w.requestsOf(func() {
		w.Merge(source, `{"metadata":{"labels":{"run":"8"}}}`)
		w.settles()
	})

	assert.Equal(t, []string{"get configmaps"}, names(requests))
	assert.Equal(t, before, w.Exists(source, w.Away, "settings", fixture.Anything))
}

const twoKeys = `
apiVersion: v1
kind: Secret
metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
data: {user: dXNlcg==, pass: c3dvcmRmaXNo}
`

func secretData(object *unstructured.Unstructured) map[string]string {
	data, _, _ := unstructured.NestedStringMap(object.Object, "data")
	return data
}

func TestContentChoosesAndRenamesKeys(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(twoKeys)
	rule := w.Project("settings", source)
	w.Merge(rule, `{"spec":{"content":{"data":{"include":["user","pass"],"rename":[{"from":"user","to":"DB_USER"},{"pattern":"(p).*","to":"${1}w"}]}}}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return assert.ObjectsAreEqual(map[string]string{"DB_USER": "dXNlcg==", "pw": "c3dvcmRmaXNo"}, secretData(o))
	})
	w.Ready(rule)
	w.settles()

	requests := w.requestsOf(func() {
		w.Merge(source, `{"data":{"more":"bW9yZQ=="}}`)
		w.settles()
	})
	assert.Equal(t, []string{"get secrets"}, names(requests), "an edit of what is not copied")
}

func TestRuleWaitsForAKeyThatItNames(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(twoKeys)
	rule := w.Project("settings", source)
	w.Ready(rule)
	before := w.Exists(source, w.Away, "settings", fixture.Anything)

	w.Merge(rule, `{"spec":{"content":{"data":{"include":["user","ca.crt"]}}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceIncomplete)
	assert.Nil(t, meta.FindStatusCondition(w.Conditions(rule), v1.ConditionStalled), "the writer of the source may not be done yet")
	w.settles()
	assert.Equal(t, before, w.Exists(source, w.Away, "settings", fixture.Anything), "the copy stays as it is")

	w.Merge(source, `{"data":{"ca.crt":"Y2E="}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return assert.ObjectsAreEqual(map[string]string{"user": "dXNlcg==", "ca.crt": "Y2E="}, secretData(o))
	})
	w.Ready(rule)

	w.Merge(source, `{"data":{"ca.crt":null,"user":"b3RoZXI="}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceIncomplete)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return secretData(o)["ca.crt"] == "Y2E=" })
	w.Delete(rule)
	w.Gone(rule)
	w.gone(source, w.Away, "settings")
}

func TestKeysThatWouldHaveOneNameAreWrittenNowhere(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(twoKeys)
	rule := w.Project("settings", source)
	w.Merge(rule, `{"spec":{"content":{"data":{"rename":[{"pattern":".*","to":"one"}]}}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	stalled := meta.FindStatusCondition(w.Conditions(rule), v1.ConditionStalled)
	require.NotNil(t, stalled)
	assert.Contains(t, stalled.Message, "the keys pass and user of the source would both be called one in the copy")

	w.Merge(source, `{"data":{"pass":null}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return secretData(o)["one"] == "dXNlcg==" })
	w.Ready(rule)
}

// A Secret of a type that requires keys is refused by the API server without them. The message names the key.
func TestTypeThatRequiresAKeyThatIsNotCopied(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(`
apiVersion: v1
kind: Secret
metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
type: kubernetes.io/tls
data: {tls.crt: "", tls.key: ""}
`)
	rule := w.Project("settings", source, func(rule *v1.Projection) { rule.Spec.Content.Data.Include = []string{"tls.crt"} })
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationCreateFailed)
	ready := meta.FindStatusCondition(w.Conditions(rule), v1.ConditionReady)
	assert.Contains(t, ready.Message, "data[tls.key]")
}

const threeReplicas = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: a}]}}
`

func replicasOf(object *unstructured.Unstructured) int64 {
	replicas, _, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
	return replicas
}

// A field that is excluded while there are copies keeps its value, until an autoscaler, say, sets another one.
func TestFieldThatIsExcludedBelongsToOthers(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(threeReplicas)
	rule := w.Create(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $AWAY}
spec: {source: {group: apps, kind: Deployment, namespace: $HOME, name: settings}, destination: {namespaces: [$AWAY]}}
`)
	copied := w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return replicasOf(o) == 3 })
	w.Ready(rule)
	w.settles()

	requests := w.requestsOf(func() {
		w.Merge(rule, `{"spec":{"content":{"fields":{"exclude":["spec.replicas","spec.template.spec.containers[*].resources"]}}}}`)
		w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
			return o.GetResourceVersion() != copied.GetResourceVersion()
		})
		w.Ready(rule)
		w.settles()
	})
	assert.Equal(t, 2, count(requests, "get", "deployments"), "the source, and the metadata of the copy: %v", requests)
	assert.Equal(t, 2, count(requests, "patch", "deployments"), "%v", requests)

	w.Merge(copied, `{"spec":{"replicas":7}}`)
	w.settles()
	requests = w.requestsOf(func() {
		w.Merge(source, `{"spec":{"replicas":4}}`)
		w.settles()
	})
	assert.Equal(t, 0, count(requests, "patch", "deployments"), "an edit of what is not copied: %v", requests)
	w.Merge(source, `{"spec":{"minReadySeconds":5}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		ready, _, _ := unstructured.NestedInt64(o.Object, "spec", "minReadySeconds")
		return ready == 5 && replicasOf(o) == 7
	})

	w.Merge(rule, `{"spec":{"content":null}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return replicasOf(o) == 4 })
	w.Delete(rule)
	w.Gone(rule)
}

func TestTenantsChooseNoFieldsOfWorkloads(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(threeReplicas)
	w.settles()
	requests := w.requestsOf(func() {
		rule := w.Project("settings", source, func(rule *v1.Projection) { rule.Spec.Content.Fields.Exclude = []string{"spec.replicas"} })
		w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
		w.Delete(rule)
		w.Gone(rule)
	})
	assert.Zero(t, count(requests, "patch", "deployments"), "%v", requests)
}

// TestOptOutDeletesTheCopiesOfARuleThatCannotBeCarriedOut has a rule become invalid. Its copies stay, until the owner opts out.
func TestOptOutDeletesTheCopiesOfARuleThatCannotBeCarriedOut(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	copied := w.Exists(source, w.Away, "settings", fixture.Anything)
	w.Merge(rule, `{"spec":{"content":{"data":{"rename":[{"pattern":"color","to":"$9"}]}}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return o.GetUID() == copied.GetUID() })

	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)

	w.Gone(copied)
}
