package slow_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/test/env"
)

// webhook admits everything, after a while.
type webhook struct {
	w     *world
	delay time.Duration
	calls atomic.Int32
	open  atomic.Int32 // calls that are not answered
	// configuration is how the API server knows the webhook.
	configuration *unstructured.Unstructured
}

// slowWebhook has the API server ask a webhook about ConfigMaps in the namespaces of this test that bear the label slow.
func (w *world) slowWebhook(delay time.Duration, operation string) *webhook {
	w.T.Helper()
	h := &webhook{w: w, delay: delay}
	server := httptest.NewTLSServer(h)
	w.T.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	h.configuration = w.Create(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: $ID}
webhooks:
- name: slow.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 30
  failurePolicy: Fail
  clientConfig: {url: "` + server.URL + `", caBundle: ` + base64.StdEncoding.EncodeToString(authority) + `}
  namespaceSelector: {matchLabels: {slow: $ID}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [` + operation + `], resources: [configmaps]}]
`)
	w.T.Cleanup(h.remove)
	h.awaitCall()
	return h
}

// awaitCall waits until the API server knows the webhook.
func (h *webhook) awaitCall() {
	h.w.T.Helper()
	delay := h.delay
	h.delay = 0
	probe := h.w.namespace(true)
	require.Eventually(h.w.T, func() bool {
		object := h.w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {generateName: probe-, namespace: ` + probe + `}}`)
		require.NoError(h.w.T, h.w.Client.Create(h.w.T.Context(), object))
		require.NoError(h.w.T, h.w.Client.Delete(h.w.T.Context(), object))
		return h.calls.Load() > 0
	}, timeout, env.Interval)
	h.delay = delay
	h.calls.Store(0)
}

// remove takes the webhook out of the way.
func (h *webhook) remove() { h.w.Delete(h.configuration) }

// quiet reports whether no request waits for the webhook.
func (h *webhook) quiet() bool { return h.open.Load() == 0 }

func (h *webhook) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	h.calls.Add(1)
	h.open.Add(1)
	defer h.open.Add(-1)
	select {
	case <-time.After(h.delay):
	case <-request.Context().Done():
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	encoded, err := json.Marshal(review)
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = response.Write(encoded) // who does not wait for it does without
}
