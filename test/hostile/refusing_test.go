package hostile_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/env"
)

// denyByPolicy refuses Secrets and ConfigMaps away, and says what they hold.
func denyByPolicy(c *secretWorld) {
	c.quote("Deny")
	c.effective()
}

// warnByPolicy says what Secrets away hold, and lets them pass.
func warnByPolicy(c *secretWorld) {
	c.quote("Deny", "Audit") // to see that it works
	policy := c.effective()
	c.Merge(policy, `{"spec":{"validationActions":["Warn"]}}`)
	require.Eventually(c.T, func() bool { return c.tryToCreate() == nil }, env.Timeout, env.Interval)
}

// quote installs a policy that quotes Secrets and ConfigMaps away.
func (c *secretWorld) quote(actions ...any) {
	c.T.Helper()
	c.Merge(c.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: $AWAY}}`), `{"metadata":{"labels":{"quoting":"$AWAY"}}}`)
	c.dispose(c.Create(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: $AWAY}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [secrets, configmaps]}]}
  validations:
  - expression: "!has(object.data) || !('key' in object.data)"
    messageExpression: "'the key is ' + string(object.data.key)"
`))
	binding := c.Object(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: $AWAY}
spec: {policyName: $AWAY, matchResources: {namespaceSelector: {matchLabels: {quoting: $AWAY}}}}
`)
	require.NoError(c.T, unstructured.SetNestedSlice(binding.Object, actions, "spec", "validationActions"))
	require.NoError(c.T, c.Client.Create(c.T.Context(), binding))
	c.dispose(binding)
}

// tryToCreate returns what the API server says to a Secret away.
func (c *secretWorld) tryToCreate() error {
	probe := c.Object(`{apiVersion: v1, kind: Secret, metadata: {generateName: probe-, namespace: $AWAY}, stringData: {key: probe}}`)
	return c.Client.Create(c.T.Context(), probe, client.DryRunAll)
}

// effective waits until Secrets away are refused, and returns the binding.
func (c *secretWorld) effective() *unstructured.Unstructured {
	c.T.Helper()
	require.Eventually(c.T, func() bool { return c.tryToCreate() != nil }, env.Timeout, env.Interval)
	require.ErrorContains(c.T, c.tryToCreate(), base64.StdEncoding.EncodeToString([]byte("probe")), "the refusal quotes the Secret")
	return c.Object(`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: $AWAY}}`)
}

// denyByWebhook refuses Secrets and ConfigMaps away, and says what they hold.
func denyByWebhook(c *secretWorld) {
	server := httptest.NewTLSServer(http.HandlerFunc(quoteWhatIsAsked))
	c.T.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	c.dispose(c.Create(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: $AWAY}
webhooks:
- name: quoting.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "` + server.URL + `", caBundle: ` + base64.StdEncoding.EncodeToString(authority) + `}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $AWAY}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [secrets, configmaps]}]
`))
	c.effective()
}

// quoteWhatIsAsked denies an object in its own words, in every field that an answer has.
func quoteWhatIsAsked(w http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	body, err := io.ReadAll(request.Body)
	if err == nil {
		err = json.Unmarshal(body, &review)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	object := string(review.Request.Object.Raw)
	review.Response = &admissionv1.AdmissionResponse{
		UID:      review.Request.UID,
		Warnings: []string{object},
		Result: &metav1.Status{
			Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: object,
			Details: &metav1.StatusDetails{Name: object, Causes: []metav1.StatusCause{{Field: object, Message: object}}},
		},
	}
	encoded, err := json.Marshal(review)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encoded) // who does not listen hears nothing
}
