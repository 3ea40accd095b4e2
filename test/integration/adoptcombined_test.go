package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// TestAdoptionComparesWhatIsCopied: keys and labels that the rule leaves out are no part of the comparison.
func TestAdoptionComparesWhatIsCopied(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Merge(source, `{"metadata":{"labels":{"tier":"gold"}}}`)
	theirs := w.foreign(w.Away, `{colour: red}`)
	w.Merge(theirs, `{"metadata":{"labels":{"tier":"silver"}}}`)
	rule := w.fanOut(source, `{namespaces: [$AWAY]}
  policy: {onConflict: AdoptIdentical}
  content: {labels: {exclude: [tier]}, data: {include: [color], rename: [{from: color, to: colour}]}}`)
	w.Ready(rule)
	adopted := w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.Equal(t, theirs.GetUID(), adopted.GetUID())
	assert.Equal(t, "silver", adopted.GetLabels()["tier"])
}

// TestFieldsThatAreNotCopiedStayOnAdoption: a Deployment keeps its replicas.
func TestFieldsThatAreNotCopiedStayOnAdoption(t *testing.T) {
	const manifest = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: $PLACE, annotations: {projection.sh/projectable: "true"}},
		spec: {replicas: $REPLICAS, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}}`
	w := newWorld(t)
	w.Define("$PLACE", w.Home)
	w.Define("$REPLICAS", "0")
	source := w.Apply(manifest)
	theirs := source.DeepCopy()
	theirs.Object["metadata"] = map[string]any{"name": "web", "namespace": w.Away}
	delete(theirs.Object, "status")
	require.NoError(t, unstructured.SetNestedField(theirs.Object, int64(2), "spec", "replicas"))
	require.NoError(t, w.Client.Create(t.Context(), theirs))
	rule := w.fanOut(source, `{namespaces: [$AWAY]}
  policy: {onConflict: AdoptIdentical}
  content: {fields: {exclude: [spec.replicas]}}`)
	w.Ready(rule)
	w.Merge(source, `{"spec":{"revisionHistoryLimit":3}}`)
	adopted := w.Exists(source, w.Away, "web", func(o *unstructured.Unstructured) bool {
		limit, _, _ := unstructured.NestedInt64(o.Object, "spec", "revisionHistoryLimit")
		return limit == 3
	})
	assert.Equal(t, theirs.GetUID(), adopted.GetUID())
	replicas, _, _ := unstructured.NestedInt64(adopted.Object, "spec", "replicas")
	assert.Equal(t, int64(2), replicas)
}

// TestSuspendedRuleAdoptsNothing until it is resumed.
func TestSuspendedRuleAdoptsNothing(t *testing.T) {
	w := newWorld(t)
	source, theirs := w.Apply(configMap), w.foreign(w.Away, other)
	rule := w.fanOut(source, "{namespaces: [$AWAY]}\n  policy: {onConflict: Adopt}\n  suspend: true")
	said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSuspended)
	assert.Equal(t, "suspended: would create 1; none is in sync", said.Message)
	w.settles()
	after, err := w.Get(source, w.Away, "settings")
	require.NoError(t, err)
	assert.Equal(t, theirs.Object, after.Object)
	w.Merge(rule, `{"spec":{"suspend":false}}`)
	w.Ready(rule)
	assert.Equal(t, theirs.GetUID(), w.Exists(source, w.Away, "settings", fixture.Anything).GetUID())
}

// TestSkippedObjectIsKnownToASuspendedRule, which does not count it as a copy to create.
func TestSkippedObjectIsKnownToASuspendedRule(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.foreign(w.Away, other)
	rule := w.adopting(source, "{onConflict: Skip}", w.Away)
	w.Ready(rule)
	w.Merge(rule, `{"spec":{"suspend":true}}`)
	said := w.Says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)
	assert.Equal(t, "there is no copy, because another object is in its place, and policy.onConflict is Skip; the rule is suspended", said.Message)
}

// TestFormerCopyIsDeletedWhereItsNextNameIsSkipped: the rule does without the copy.
func TestFormerCopyIsDeletedWhereItsNextNameIsSkipped(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.foreign(w.Away, other)
	rule := w.fanOut(source, "{namespaces: [$AWAY], name: former}\n  policy: {onConflict: Skip}")
	w.Ready(rule)
	w.Exists(source, w.Away, "former", fixture.Anything)
	w.Merge(rule, `{"spec":{"destination":{"name":"settings"}}}`)
	w.gone(source, w.Away, "former")
	w.Ready(rule)
	assert.Equal(t, "green", data(w.Exists(source, w.Away, "settings", fixture.Anything), "color"))
}

// TestAdoptedObjectKeepsItsContent under CreateOnly, from its adoption on.
func TestAdoptedObjectKeepsItsContent(t *testing.T) {
	w := newWorld(t)
	source, theirs := w.Apply(configMap), w.foreign(w.Away, other)
	rule := w.adopting(source, "{onConflict: Adopt, updates: CreateOnly}", w.Away)
	w.Ready(rule)
	adopted := w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" })
	assert.Equal(t, theirs.GetUID(), adopted.GetUID())
	w.settles()
	w.Merge(source, `{"data":{"color":"blue"}}`)
	w.Merge(adopted, `{"data":{"size":"2"}}`)
	w.settles()
	after := w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.Equal(t, "red", data(after, "color"))
	assert.Equal(t, "2", data(after, "size"))
	w.Ready(rule)
}
