package integration_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// bad makes a namespace one that takes no copy, and returns what has to be deleted for it to take one.
type bad struct {
	spoil  func(w *world, namespace string) *unstructured.Unstructured
	reason string
}

func badTargets() map[string]bad {
	return map[string]bad{
		"quota":    {quota, v1.ReasonDestinationCreateFailed},
		"denied":   {policy("Forbidden"), v1.ReasonDestinationCreateFailed},
		"invalid":  {policy("Invalid"), v1.ReasonDestinationCreateFailed},
		"webhook":  {deadWebhook, v1.ReasonDestinationCreateFailed},
		"stranger": {foreign, v1.ReasonDestinationConflict},
	}
}

func TestOneBadTargetHarmsNoOther(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	good, ending := w.member(w.selected()), w.member(w.selected())
	reasons := map[string]string{}
	var inTheWay []*unstructured.Unstructured
	for _, how := range badTargets() {
		namespace := w.member(w.selected())
		inTheWay = append(inTheWay, how.spoil(w, namespace))
		reasons[namespace] = how.reason
	}

	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	w.counts(rule, 2, int32(len(reasons)))
	told := map[string]string{}
	for _, failure := range rule.Status.Failures {
		told[failure.Namespace] = failure.Reason
	}
	assert.Equal(t, reasons, told)

	w.endless(ending)
	w.counts(rule, 1, int32(len(reasons)))
	requests := w.requestsOn([]string{good, ending}, func() {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.Exists(source, good, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		w.settles()
	})
	w.counts(rule, 1, int32(len(reasons)))
	assert.NotEmpty(t, within(good, requests))
	assert.Empty(t, within(ending, requests), "what ends is not written to")

	for _, object := range inTheWay {
		w.Delete(object)
	}
	for namespace := range reasons {
		require.Eventually(t, func() bool { return w.probe(namespace) == nil }, env.Timeout, env.Interval)
	}
	w.Merge(source, `{"data":{"color":"green"}}`)
	w.counts(rule, int32(1+len(reasons)), 0)
	for namespace := range reasons {
		w.Exists(source, namespace, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "green" })
	}
}

// within returns the requests in the namespace.
func within(namespace string, requests []env.Request) []env.Request {
	var found []env.Request
	for _, request := range requests {
		if request.Namespace == namespace {
			found = append(found, request)
		}
	}
	return found
}

// probe returns what the API server says to a copy in the namespace.
func (w *world) probe(namespace string) error {
	object := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: ` + namespace + `}}`)
	err := w.Client.Create(w.T.Context(), object, client.DryRunAll)
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// refuses waits until the namespace takes no copy.
func (w *world) refuses(namespace string) {
	w.T.Helper()
	require.Eventually(w.T, func() bool { return w.probe(namespace) != nil }, env.Timeout, env.Interval)
}

// endless deletes the namespace, which is kept by something in it until the test ends.
func (w *world) endless(namespace string) {
	w.T.Helper()
	keeper := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: keeper, namespace: ` + namespace + `, finalizers: [example.com/keep]}}`)
	w.T.Cleanup(func() {
		let := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
		require.NoError(w.T, w.Client.Patch(context.Background(), keeper, let))
	})
	w.Delete(w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + namespace + `}}`))
}

func quota(w *world, namespace string) *unstructured.Unstructured {
	object := w.Create(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: none, namespace: ` + namespace + `}, spec: {hard: {count/configmaps: "0"}}}`)
	w.refuses(namespace)
	return object
}

func foreign(w *world, namespace string) *unstructured.Unstructured {
	return w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: ` + namespace + `}}`)
}

// policy denies ConfigMaps for the reason that an API server gives when it forbids, or finds invalid.
func policy(reason string) func(*world, string) *unstructured.Unstructured {
	return func(w *world, namespace string) *unstructured.Unstructured {
		rules := w.Create(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ` + namespace + `}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]}
  validations: [{expression: "false", message: none is wanted here, reason: ` + reason + `}]
`)
		w.T.Cleanup(func() { w.Delete(rules) })
		binding := w.Create(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ` + namespace + `}
spec:
  policyName: ` + namespace + `
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ` + namespace + `}}}
`)
		w.T.Cleanup(func() { w.Delete(binding) })
		w.refuses(namespace)
		return binding
	}
}

// deadWebhook has the API server ask one that does not answer.
func deadWebhook(w *world, namespace string) *unstructured.Unstructured {
	object := w.Create(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: ` + namespace + `}
webhooks:
- name: gate.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  clientConfig: {url: "https://127.0.0.1:1/"}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ` + namespace + `}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]
`)
	w.T.Cleanup(func() { w.Delete(object) })
	w.refuses(namespace)
	return object
}
