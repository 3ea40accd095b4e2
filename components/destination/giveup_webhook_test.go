package destination_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// restoresManagedFields is a webhook that gives an object the managed fields back that it had before.
func restoresManagedFields(w http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	var before metav1.PartialObjectMetadata
	err := json.NewDecoder(request.Body).Decode(&review)
	if err == nil {
		err = json.Unmarshal(review.Request.OldObject.Raw, &before)
	}
	patch, encoding := json.Marshal([]any{map[string]any{"op": "replace", "path": "/metadata/managedFields", "value": before.ManagedFields}})
	review.Response = &admissionv1.AdmissionResponse{Allowed: true, Patch: patch, PatchType: new(admissionv1.PatchTypeJSONPatch)}
	if review.Request != nil {
		review.Response.UID = review.Request.UID
	}
	encoded, failure := json.Marshal(review)
	if err := errors.Join(err, encoding, failure); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encoded) // who does not listen hears nothing
}

// intercept has the webhook review every update of a Deployment in the namespace, until the function that it returns is called.
func (w *fixture) intercept(webhook http.HandlerFunc) (end func()) {
	w.t.Helper()
	server := httptest.NewTLSServer(webhook)
	w.t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	manifest := fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: %[1]s}
webhooks:
- name: restores.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: %[2]q, caBundle: %[3]s}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %[1]s}}
  rules: [{apiGroups: [apps], apiVersions: [v1], operations: [UPDATE], resources: [deployments]}]
`, w.namespace, server.URL, base64.StdEncoding.EncodeToString(authority))
	configuration := &unstructured.Unstructured{}
	require.NoError(w.t, yaml.Unmarshal([]byte(manifest), &configuration.Object))
	configurations := dynamic.NewForConfigOrDie(cluster.Config).Resource(schema.GroupVersionResource{
		Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations",
	})
	_, err := configurations.Create(w.t.Context(), configuration, metav1.CreateOptions{})
	require.NoError(w.t, err)
	end = func() { _ = configurations.Delete(context.Background(), w.namespace, metav1.DeleteOptions{}) }
	w.t.Cleanup(end)
	return end
}

// A field that cannot be given up is not omitted: the API server would reset it.
func TestFieldThatAWebhookDoesNotLetGoKeepsItsValue(t *testing.T) {
	w := newDeployment(t)
	w.exclude("spec.replicas")
	reviewed := make(chan struct{}, 100)
	end := w.intercept(func(response http.ResponseWriter, request *http.Request) {
		reviewed <- struct{}{}
		restoresManagedFields(response, request)
	})
	require.Eventually(t, func() bool {
		w.merge(`{"metadata":{"labels":{"probe":"1"}}}`)
		w.merge(`{"metadata":{"labels":{"probe":null}}}`)
		return len(reviewed) > 0
	}, soon, tick, "the webhook is in force")
	require.Eventually(t, func() bool {
		return w.set.Cache.ByOwner(w.set.Owner.Key())[0].ResourceVersion == w.get().GetResourceVersion()
	}, soon, tick)

	outcome := w.apply(shop("b"))

	require.True(t, outcome.Failed())
	assert.Contains(t, outcome.Message, "the managed fields of the copy still have fields that are not copied, though they were given up; a webhook may have restored them")
	assert.Equal(t, int64(3), w.replicas())

	end()
	require.Eventually(t, func() bool { return !w.apply(shop("b")).Failed() }, soon, tick, "the webhook is gone")
	assert.Equal(t, int64(3), w.replicas())
}
