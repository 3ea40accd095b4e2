package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// certificate is a Secret of which one key is public.
const certificate = `
apiVersion: v1
kind: Secret
metadata:
  name: root-ca
  namespace: $HOME
  labels: {team: core}
  annotations: {projection.sh/projectable: "true", projection.sh/public-keys: "ca.crt, image", note: words}
type: kubernetes.io/tls
data: {ca.crt: Y2E=, tls.crt: Y2VydA==, tls.key: a2V5, image: /w==}
`

func TestPublicKeysOfASecretAreCopiedAsAConfigMap(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(certificate)
	rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt", "image"))
	w.Ready(rule)
	copied := w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", fixture.Anything)
	assert.Equal(t, map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"ca.crt": "ca"}, "binaryData": map[string]any{"image": "/w=="},
	}, content(copied))
	assert.Equal(t, "core", copied.GetLabels()["team"])
	assert.NotContains(t, copied.GetAnnotations(), "note", "annotations of a Secret are not declared public")
	assert.NotContains(t, copied.GetAnnotations(), v1.AnnotationPublicKeys, "a copy does not consent")
	assert.Equal(t, "ConfigMap", rule.Annotations[v1.AnnotationWrittenKinds])
	w.gone(source, w.Away, "root-ca")
}

func TestKeysThatAreNotDeclaredPublic(t *testing.T) {
	for name, declared := range map[string]string{"none": "null", "another": `"tls.crt"`, "a part of the name": `"ca"`, "all": `"*"`, "a pattern": `"ca.*"`, "empty": `""`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Apply(certificate)
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/public-keys":`+declared+`}}}`)
			rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt"))
			message := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable).Message
			assert.Equal(t, "the owner of Secret "+w.Home+"/root-ca does not declare the key ca.crt public; there are no copies; "+
				"the owner has to add it to the annotation projection.sh/public-keys", message)
			w.Says(rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonSourceNotProjectable)

			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/public-keys":"tls.crt,ca.crt"}}}`)
			w.Ready(rule)
			w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", func(o *unstructured.Unstructured) bool { return data(o, "ca.crt") == "ca" })
		})
	}
}

func TestPublicKeyThatIsTakenBackTakesTheCopyAway(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(certificate)
	rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt", "image"))
	w.Ready(rule)
	copied := w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", fixture.Anything)

	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/public-keys":"ca.crt"}}}`)
	w.Gone(copied)
	message := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable).Message
	assert.Contains(t, message, "does not declare the key image public; 1 copy was removed")

	w.Merge(rule, `{"spec":{"content":{"data":{"include":["ca.crt"]}}}}`)
	w.Ready(rule)
	w.Exists(copied, w.Away, "root-ca", func(o *unstructured.Unstructured) bool { return o.Object["binaryData"] == nil })
	w.Merge(rule, `{"spec":{"content":{"data":{"include":["ca.crt","tls.key"]}}}}`)
	w.gone(copied, w.Away, "root-ca")
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
}

// The keys of data and of binaryData change places when a value ceases to be text.
func TestValueThatIsTextNoMore(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(certificate)
	w.Ready(w.Project("root-ca", source, as("ConfigMap", "ca.crt")))
	w.Merge(source, `{"data":{"ca.crt":"/w=="}}`)
	copied := w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", func(o *unstructured.Unstructured) bool { return o.Object["binaryData"] != nil })
	assert.Equal(t, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "binaryData": map[string]any{"ca.crt": "/w=="}}, content(copied))
	w.Merge(source, `{"data":{"ca.crt":"Y2E="}}`)
	w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", func(o *unstructured.Unstructured) bool {
		return data(o, "ca.crt") == "ca" && o.Object["binaryData"] == nil
	})
}

func TestCredentialIsNotCopiedAsAConfigMap(t *testing.T) {
	w := newWorld(t)
	w.Create(`{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: $HOME}}`)
	source := w.Create(`
apiVersion: v1
kind: Secret
type: kubernetes.io/service-account-token
metadata:
  name: robot
  namespace: $HOME
  annotations: {projection.sh/projectable: "true", projection.sh/public-keys: "ca.crt,token", kubernetes.io/service-account.name: robot}
`)
	rule := w.Project("robot", source, as("ConfigMap", "ca.crt"))
	message := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable).Message
	assert.Contains(t, message, "is of type kubernetes.io/service-account-token")
	w.gone(ofKind("ConfigMap"), w.Away, "robot")
}
