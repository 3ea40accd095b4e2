package integration_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// TestNoCopyOutlivesAnOptOutRightBefore lets the owner of the source opt out right before the copy is not wanted any more for another cause.
func TestNoCopyOutlivesAnOptOutRightBefore(t *testing.T) {
	tests := map[v1.RetainCause]func(w *world, source, rule *unstructured.Unstructured){
		v1.RetainRuleDeleted:   func(w *world, _, rule *unstructured.Unstructured) { w.Delete(rule) },
		v1.RetainSourceGone:    func(w *world, source, _ *unstructured.Unstructured) { w.Delete(source) },
		v1.RetainTargetDropped: func(w *world, _, _ *unstructured.Unstructured) { w.label(w.Away, `{"group":null}`) },
	}
	for cause, end := range tests {
		for name, consent := range map[string]string{"an opt-out": `"false"`, "no opt-in any more": `null`} {
			t.Run(fmt.Sprintf("%s/%s", cause, name), func(t *testing.T) {
				w := newWorld(t)
				w.label(w.Away, w.selected())
				source := w.Apply(configMap)
				rule := w.Create(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $AWAY}
spec:
  source: {kind: ConfigMap, namespace: $HOME, name: settings}
  destination: {namespaceSelector: {matchLabels: {group: $HOME}}}
  policy: {retain: [` + string(cause) + `]}
`)
				t.Cleanup(func() { w.Delete(rule) })
				w.Exists(source, w.Away, "settings", fixture.Anything)
				w.settles()

				requests := w.requestsOf(func() {
					w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":`+consent+`}}}`)
					end(w, source, rule)
					w.gone(source, w.Away, "settings")
					w.settles()
				})
				assert.Zero(t, count(requests, "patch", "configmaps"), "nothing is handed over: %v", requests)
			})
		}
	}
}

// TestNoConfigMapOutlivesKeysThatAreTakenBack is the same for the keys of a Secret that its owner declared public.
func TestNoConfigMapOutlivesKeysThatAreTakenBack(t *testing.T) {
	tests := map[v1.RetainCause]func(w *world, source *unstructured.Unstructured, rule *v1.Projection){
		v1.RetainRuleDeleted: func(w *world, _ *unstructured.Unstructured, rule *v1.Projection) { w.Delete(rule) },
		v1.RetainSourceGone:  func(w *world, source *unstructured.Unstructured, _ *v1.Projection) { w.Delete(source) },
	}
	for cause, end := range tests {
		t.Run(string(cause), func(t *testing.T) {
			w := newWorld(t)
			source := w.Apply(certificate)
			rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt", "image"), retaining(cause))
			w.Ready(rule)
			w.settles()
			requests := w.requestsOf(func() {
				w.Merge(source, `{"metadata":{"annotations":{"projection.sh/public-keys":"ca.crt"}}}`)
				end(w, source, rule)
				w.gone(ofKind("ConfigMap"), w.Away, "root-ca")
				w.settles()
			})
			assert.Zero(t, count(requests, "patch", "configmaps"), "nothing is handed over: %v", requests)
		})
	}
}

// A ConfigMap of an earlier kind of copies holds keys that the owner of the Secret takes back right before deleting the Secret.
func TestConfigMapOfAnEarlierKindDoesNotOutliveItsKeys(t *testing.T) {
	w := newWorld(t)
	w.Create(`{apiVersion: v1, kind: Secret, metadata: {name: root-ca, namespace: $AWAY}}`)
	source := w.Apply(certificate)
	rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt", "image"), retaining(v1.RetainSourceGone))
	w.Ready(rule)
	w.Merge(rule, `{"spec":{"destination":{"kind":null},"content":null}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.settles()
	w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", fixture.Anything)

	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/public-keys":"ca.crt"}}}`)
	w.Delete(source)
	w.gone(ofKind("ConfigMap"), w.Away, "root-ca")
}

func TestConfigMapWithPublicKeysOutlivesItsRule(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(certificate)
	rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt"), retaining(v1.RetainRuleDeleted))
	w.Ready(rule)
	w.Delete(rule)
	w.Gone(rule)
	left := w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", func(o *unstructured.Unstructured) bool { return len(o.GetAnnotations()) == 0 })
	assert.Equal(t, map[string]string{"team": "core"}, left.GetLabels())
	assert.Equal(t, "ca", data(left, "ca.crt"))
}

// As long as the source is gone, the ConfigMap stays the rule's, with the keys that it names.
func TestConfigMapWithPublicKeysOutlivesItsSource(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(certificate)
	rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt", "image"), retaining(v1.RetainSourceGone))
	w.Ready(rule)
	before := w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", fixture.Anything)
	w.Delete(source)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
	w.settles()
	after := w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", fixture.Anything)
	assert.Equal(t, before.Object, after.Object)
	assert.Equal(t, "ca.crt,image", after.GetAnnotations()[v1.AnnotationPublishedKeys])

	source = w.Object(certificate)
	source.SetAnnotations(map[string]string{v1.AnnotationProjectable: "true", v1.AnnotationPublicKeys: "ca.crt"})
	require.NoError(t, w.Client.Create(t.Context(), source))
	w.gone(ofKind("ConfigMap"), w.Away, "root-ca")
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
}

// The kind of copies changes and nothing is retained: the old copy goes when the new one is there.
func TestCopyOfAnEarlierKindIsNotRetained(t *testing.T) {
	w := newWorld(t)
	w.label(w.Away, w.selected())
	source := w.Apply(withBytes)
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  policy: {retain: [RuleDeleted, SourceGone, TargetDropped]}`)
	w.Exists(ofKind("ConfigMap"), w.Away, "settings", fixture.Anything)
	w.Merge(rule, `{"spec":{"destination":{"kind":"Secret"}}}`)
	w.Exists(ofKind("Secret"), w.Away, "settings", fixture.Anything)
	w.gone(ofKind("ConfigMap"), w.Away, "settings")
}

// The owner of the source permits copies in namespaces with a label only. A namespace that loses it keeps no copy, whatever the rule retains.
func TestNoCopyOutlivesThePermissionOfItsNamespace(t *testing.T) {
	tests := map[string]func(w *world, rule *v1.ClusterProjection){
		"it is not a target any more": func(w *world, _ *v1.ClusterProjection) { w.label(w.Away, `{"group":null}`) },
		"the rule is deleted": func(w *world, rule *v1.ClusterProjection) {
			w.label(w.Away, `{"allowed":null}`)
			w.Delete(rule)
		},
		"nothing else": func(w *world, _ *v1.ClusterProjection) { w.label(w.Away, `{"allowed":null}`) },
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.label(w.Away, `{"group":"`+w.Home+`","allowed":"yes"}`)
			source := w.Apply(configMap)
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: allowed=yes,group=`+w.Home+`"}}}`)
			rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  policy: {retain: [RuleDeleted, SourceGone, TargetDropped]}`)
			w.counts(rule, 1, 0)
			requests := w.requestsOf(func() {
				end(w, rule)
				w.gone(source, w.Away, "settings")
				w.settles()
			})
			assert.Zero(t, count(requests, "patch", "configmaps"), "nothing is handed over: %v", requests)
		})
	}
}
