package integration_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// ofKind returns an object of that kind of the core group.
func ofKind(kind string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind}}
}

// as has a rule make copies of another kind than its source.
func as(kind string, keys ...string) func(*v1.Projection) {
	return func(rule *v1.Projection) {
		rule.Spec.Destination.Kind = kind
		rule.Spec.Content.Data.Include = keys
	}
}

// withBytes is a ConfigMap that has text and bytes. Its annotation is a copy's, too.
const withBytes = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: $HOME, labels: {team: core}, annotations: {projection.sh/projectable: "true", note: words}}
data: {color: red}
binaryData: {image: /w==}
`

func content(object *unstructured.Unstructured) map[string]any {
	content := maps.Clone(object.Object)
	delete(content, "metadata")
	return content
}

func TestConfigMapIsCopiedAsASecret(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(withBytes)
	rule := w.Project("settings", source, as("Secret"))
	w.Ready(rule)
	copied := w.Exists(ofKind("Secret"), w.Away, "settings", fixture.Anything)
	assert.Equal(t, map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": map[string]any{"color": "cmVk", "image": "/w=="},
	}, content(copied))
	assert.Equal(t, "core", copied.GetLabels()["team"])
	assert.Equal(t, "words", copied.GetAnnotations()["note"])
	assert.Equal(t, "ConfigMap/"+w.Home+"/settings", copied.GetAnnotations()[v1.AnnotationSource])
	assert.Equal(t, "Secret", rule.Annotations[v1.AnnotationWrittenKinds])
	w.gone(source, w.Away, "settings")

	w.Merge(copied, `{"data":{"color":"Ymx1ZQ=="}}`)
	copied = w.Exists(copied, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "cmVk" })
	w.Delete(copied)
	w.Exists(copied, w.Away, "settings", func(o *unstructured.Unstructured) bool { return o.GetUID() != copied.GetUID() })

	w.Delete(rule)
	w.Gone(rule)
	w.gone(copied, w.Away, "settings")
}

func TestConvertedThereAndBackHasTheSameContent(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(withBytes)
	w.Ready(w.Project("there", source, as("Secret"), func(rule *v1.Projection) { rule.Spec.Destination.Name = "there" }))
	there := w.Exists(ofKind("Secret"), w.Away, "there", fixture.Anything)
	w.Merge(there, `{"metadata":{"annotations":{"projection.sh/projectable":"true","projection.sh/public-keys":"color,image"}}}`)
	w.Ready(w.Project("back", there, as("ConfigMap", "color", "image"), func(rule *v1.Projection) { rule.Spec.Destination.Name = "back" }))
	assert.Equal(t, content(source), content(w.Exists(source, w.Away, "back", fixture.Anything)))
}

func TestRequestsForCopiesOfAnotherKind(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(certificate)
	rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt"))
	w.Ready(rule)
	w.settles()

	requests := w.requestsOf(func() {
		w.Merge(source, `{"data":{"ca.crt":"bmV3"}}`)
		w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", func(o *unstructured.Unstructured) bool { return data(o, "ca.crt") == "new" })
		w.settles()
	})
	assert.Equal(t, 1, count(requests, "get", "secrets"), "%v", requests)
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "create", "events")+count(requests, "patch", "events"), "%v", requests)
	assert.Len(t, requests, 3)

	requests = w.requestsOf(func() {
		w.Merge(source, `{"data":{"tls.key":"bmV3"}}`)
		w.settles()
	})
	assert.Equal(t, []string{"get secrets"}, names(requests), "an edit of what is not copied")
}

// The rule has another kind of copies, and back. The new copy comes before the old one goes.
func TestChangeOfTheKindOfCopies(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(withBytes)
	rule := w.Project("settings", source)
	w.Ready(rule)
	w.settles()
	for _, change := range []struct{ patch, from, to string }{
		{`"Secret"`, "ConfigMap", "Secret"}, {`null`, "Secret", "ConfigMap"}, {`"Secret"`, "ConfigMap", "Secret"}, {`"ConfigMap"`, "Secret", "ConfigMap"},
	} {
		requests := w.requestsOf(func() {
			w.Merge(rule, `{"spec":{"destination":{"kind":`+change.patch+`}}}`)
			w.Exists(ofKind(change.to), w.Away, "settings", fixture.Anything)
			w.gone(ofKind(change.from), w.Away, "settings")
			w.Ready(rule)
			w.settles()
		})
		resources := map[string]string{"ConfigMap": "configmaps", "Secret": "secrets"}
		var writes []string
		for _, name := range names(requests) {
			if strings.HasPrefix(name, "patch ") && slices.Contains(slices.Collect(maps.Values(resources)), strings.TrimPrefix(name, "patch ")) || strings.HasPrefix(name, "delete ") {
				writes = append(writes, name)
			}
		}
		assert.Equal(t, []string{"patch " + resources[change.to], "delete " + resources[change.from]}, writes)
		w.Says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)
		assert.Equal(t, change.to, rule.Annotations[v1.AnnotationWrittenKinds])
	}
}

func TestForeignObjectOfTheKindOfCopies(t *testing.T) {
	w := newWorld(t)
	secret := w.Create(`{apiVersion: v1, kind: Secret, metadata: {name: root-ca, namespace: $AWAY}}`)
	foreign := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: root-ca, namespace: $AWAY}, data: {mine: "1"}}`)
	source := w.Apply(certificate)
	rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt"))
	message := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict).Message
	assert.Contains(t, message, "ConfigMap "+w.Away+"/root-ca: ")
	w.settles()
	assert.Empty(t, w.requestsOf(func() {
		w.Merge(foreign, `{"data":{"busy":"1"}}`)
		w.settles()
	}))

	w.Delete(foreign)
	w.Ready(rule)
	w.Exists(foreign, w.Away, "root-ca", func(o *unstructured.Unstructured) bool { return data(o, "ca.crt") == "ca" })
	after, err := w.Get(secret, w.Away, "root-ca")
	require.NoError(t, err)
	assert.Equal(t, secret.Object, after.Object, "an object of the source's kind is in nobody's way")
}

// A copy of another kind has its place beside the source, under the same name.
func TestCopyBesideItsSource(t *testing.T) {
	w := newWorld(t)
	w.Away = w.Home
	source := w.Apply(certificate)
	rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt"))
	w.Ready(rule)
	w.Exists(ofKind("ConfigMap"), w.Home, "root-ca", fixture.Anything)
	w.Delete(rule)
	w.Gone(rule)
	w.gone(ofKind("ConfigMap"), w.Home, "root-ca")
	after, err := w.Get(source, w.Home, "root-ca")
	require.NoError(t, err)
	assert.Equal(t, source.GetResourceVersion(), after.GetResourceVersion(), "the source is never written")
}

func TestSelectorSelectsTheNamespaceOfASourceOfAnotherKind(t *testing.T) {
	w := newWorld(t)
	w.Apply(certificate)
	rule := w.Create(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $AWAY}
spec:
  source: {kind: Secret, namespace: $HOME, name: root-ca}
  content: {data: {include: [ca.crt]}}
  destination: {kind: ConfigMap, namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [$HOME, $AWAY]}]}}
`)
	t.Cleanup(func() { w.Delete(rule) })
	for _, namespace := range []string{w.Home, w.Away} {
		w.Exists(ofKind("ConfigMap"), namespace, "root-ca", func(o *unstructured.Unstructured) bool { return data(o, "ca.crt") == "ca" })
	}
	w.Ready(rule)
}

func TestImmutableCopyOfAnotherKindIsReplacedWithItsSource(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(withBytes)
	w.Merge(source, `{"immutable":true}`)
	rule := w.Project("settings", source, as("Secret"))
	w.Ready(rule)
	copied := w.Exists(ofKind("Secret"), w.Away, "settings", func(o *unstructured.Unstructured) bool { return o.Object["immutable"] == true })

	w.Delete(source)
	w.Gone(copied)
	w.Apply(strings.Replace(withBytes, "red", "blue", 1))
	w.Exists(copied, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "Ymx1ZQ==" })
	w.Ready(rule)
}

// A field of a ConfigMap that is not copied is not one of the Secret that is made of it. The type of the Secret stays ours.
func TestFieldsOfACopyOfAnotherKind(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(withBytes)
	rule := w.Project("settings", source, as("Secret"), func(rule *v1.Projection) { rule.Spec.Content.Fields.Include = []string{"data"} })
	w.Ready(rule)
	copied := w.Exists(ofKind("Secret"), w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "image") == "" })
	assert.Equal(t, "Opaque", copied.Object["type"])
	w.settles()
	requests := w.requestsOf(func() {
		w.Merge(rule, `{"spec":{"content":{"fields":{"exclude":["immutable"]}}}}`)
		w.Ready(rule)
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.Exists(copied, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "Ymx1ZQ==" })
		w.settles()
	})
	assert.Equal(t, 1, count(requests, "patch", "secrets"), "%v", requests)
}
