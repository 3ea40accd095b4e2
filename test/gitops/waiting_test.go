package gitops_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// hangingWebhook is asked about ConfigMaps in the namespace of copies, at an address that accepts connections and answers nothing.
const hangingWebhook = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: $AWAY}
webhooks:
- name: hanging.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 30
  failurePolicy: Fail
  clientConfig: {url: "https://ADDRESS"}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $AWAY}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
`

// writeInProgress has the write of the copy wait for an admission webhook.
func writeInProgress(w *world) *unstructured.Unstructured {
	w.T.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.T, err)
	webhook := w.Apply(strings.Replace(hangingWebhook, "ADDRESS", listener.Addr().String(), 1))
	w.T.Cleanup(func() {
		w.Delete(webhook)
		require.NoError(w.T, listener.Close())
	})
	require.Eventually(w.T, func() bool {
		ctx, cancel := context.WithTimeout(w.T.Context(), time.Second)
		defer cancel()
		err := w.Client.Create(ctx, w.Object(foreign), client.DryRunAll)
		return ctx.Err() != nil && err != nil
	}, env.Timeout, env.Interval, "the API server does not ask the webhook")
	origin, rule := w.Apply(source), w.Apply(projection)
	require.Eventually(w.T, func() bool {
		return w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule) == nil && len(rule.GetFinalizers()) > 0
	}, env.Timeout, env.Interval)
	w.Merge(origin, `{"data":{"edited":"meanwhile"}}`) // so that the rule is reconciled again, and says what it waits for
	return w.says(rule, v1.ReasonDestinationWriteInProgress)
}

// fromLaterVersion is a rule that uses a field which this version of the operator does not know.
func fromLaterVersion(w *world) *unstructured.Unstructured {
	w.T.Helper()
	w.defineLaterField("add")
	w.T.Cleanup(func() { w.defineLaterField("remove") })
	w.Apply(source)
	rule := strings.Replace(projection, "spec: {", "spec: {later: x, ", 1)
	var applied *unstructured.Unstructured
	require.Eventually(w.T, func() bool {
		applied = w.Apply(rule)
		_, stored, err := unstructured.NestedString(applied.Object, "spec", "later")
		require.NoError(w.T, err)
		return stored
	}, env.Timeout, env.Interval)
	return w.says(applied, v1.ReasonRuleInvalid)
}

// defineLaterField adds the field "later" to the definition of Projections, or removes it.
func (w *world) defineLaterField(operation string) {
	w.T.Helper()
	definition := &unstructured.Unstructured{}
	definition.SetAPIVersion("apiextensions.k8s.io/v1")
	definition.SetKind("CustomResourceDefinition")
	definition.SetName("projections.projection.sh")
	patch := `[{"op": %q, "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/later", "value": {"type": "string"}}]`
	require.NoError(w.T, w.Client.Patch(context.Background(), definition, client.RawPatch(types.JSONPatchType, fmt.Appendf(nil, patch, operation))))
}
