package hostile_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/upgrade/corpus"
)

// converter is a webhook that converts objects by giving them another version, unless it is down.
type converter struct{ down atomic.Bool }

func (c *converter) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	var review apiextensionsv1.ConversionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil || c.down.Load() {
		http.Error(response, "not now", http.StatusServiceUnavailable)
		return
	}
	review.Response = &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	for _, raw := range review.Request.Objects {
		var object unstructured.Unstructured
		if err := json.Unmarshal(raw.Raw, &object.Object); err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		object.SetAPIVersion(review.Request.DesiredAPIVersion)
		review.Response.ConvertedObjects = append(review.Response.ConvertedObjects, runtime.RawExtension{Object: &object})
	}
	encoded, err := json.Marshal(review)
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = response.Write(encoded) // who does not wait for it does without
}

// converted defines a kind that is stored in version v1 and preferred in version v2, and returns a source in version v1.
func (w *world) converted() (*converter, *unstructured.Unstructured) {
	w.T.Helper()
	c := &converter{}
	server := httptest.NewTLSServer(c)
	w.T.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	definition := w.Create(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.$HOME.example.com}
spec:
  group: $HOME.example.com
  scope: Namespaced
  names: {kind: Gizmo, plural: gizmos}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {url: "` + server.URL + `", caBundle: ` + base64.StdEncoding.EncodeToString(authority) + `}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`)
	w.T.Cleanup(func() { w.Delete(definition) })
	source := w.Object(`
apiVersion: $HOME.example.com/v1
kind: Gizmo
metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec: {size: 1}
`)
	w.Eventually(definition, func() bool { return w.Client.Create(w.T.Context(), source) == nil }, "the kind is not served")
	return c, source
}

// corrupt has etcd hold half of an object, and returns what restores it.
func (w *world) corrupt(prefix string) (restore func()) {
	w.T.Helper()
	entries, err := corpus.Dump(w.T.Context(), cluster.Storage(), prefix)
	require.NoError(w.T, err)
	require.Len(w.T, entries, 1)
	half := corpus.Entry{Key: entries[0].Key, Value: entries[0].Value[:len(entries[0].Value)/2]}
	require.NoError(w.T, corpus.Restore(w.T.Context(), cluster.Storage(), []corpus.Entry{half}))
	return func() { require.NoError(w.T, corpus.Restore(w.T.Context(), cluster.Storage(), entries)) }
}

// ends waits until the deletion of the rule says what it waits for, and reports false; or until the rule is deleted, and reports true. An API server
// of 1.32 lists the kind from its memory, so there the copy is deleted if it can be.
func (w *world) ends(deleted *v1.Projection, says string) (finished bool) {
	w.T.Helper()
	w.Eventually(deleted, func() bool {
		err := w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(deleted), deleted)
		finished = apierrors.IsNotFound(err)
		waits := meta.FindStatusCondition(deleted.Status.Conditions, v1.ConditionDestinationWritten)
		return finished || err == nil && waits != nil && waits.Status == metav1.ConditionFalse && strings.Contains(waits.Message, says) &&
			slices.Contains([]string{v1.ReasonDestinationFetchFailed, v1.ReasonDestinationWriteFailed}, waits.Reason)
	}, "the rule does not say what its deletion waits for")
	return finished
}

// TestKindThatCannotBeDecodedHarmsNoOther has the API server fail to list a kind: for lack of a conversion, or because etcd holds an
// object that is no JSON.
func TestKindThatCannotBeDecodedHarmsNoOther(t *testing.T) { //nolint:paralleltest // kube-controller-manager looks at all kinds
	const promptly = 2 * time.Second
	tests := map[string]struct {
		spoil func(*world, *converter) (mend func())
		says  string
	}{
		"conversion webhook that is down": {func(w *world, c *converter) func() {
			c.down.Store(true)
			w.Merge(w.Object(`{apiVersion: $HOME.example.com/v1, kind: Gizmo, metadata: {name: bystander, namespace: $AWAY}}`), `{"spec":{"size":3}}`)
			return func() { c.down.Store(false) }
		}, "conversion webhook for "},
		"object that cannot be decoded": {func(w *world, _ *converter) func() {
			return w.corrupt(w.Home + ".example.com/gizmos/" + w.Away + "/bystander")
		}, "unexpected end of JSON input"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := &world{fixture.New(t, cluster.Config)}
			w.Timeout = 3 * time.Minute // the API server takes up to a minute to fail
			c, source := w.converted()
			w.Create(`{apiVersion: $HOME.example.com/v1, kind: Gizmo, metadata: {name: bystander, namespace: $AWAY}}`)
			rules := make([]*v1.Projection, 3)
			for i := range rules {
				rules[i] = w.Project(fmt.Sprint("rule-", i), source, func(rule *v1.Projection) {
					rule.Spec.Source.Version, rule.Spec.Destination.Name = "", fmt.Sprint("copy-", i)
				})
				w.Ready(rules[i])
			}
			settings := w.Create(configMap)
			w.Ready(w.project(settings))

			mend := test.spoil(w, c)
			deleted := rules[0]
			w.Delete(deleted)
			finished := w.ends(deleted, test.says)
			for i := range 5 {
				color := fmt.Sprint("color-", i)
				w.Merge(settings, `{"data":{"color":"`+color+`"}}`)
				require.Eventually(t, func() bool { return entry(w.read(settings, w.Away, "settings"), "color") == color }, promptly, env.Interval)
			}
			for i := range rules[1:] {
				assert.NotNil(t, w.read(source, w.Away, fmt.Sprint("copy-", i+1)))
			}
			if !finished {
				require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(deleted), deleted))
				assert.Contains(t, deleted.Finalizers, v1.FinalizerProjection)
			}

			mend()
			w.Gone(deleted)
			assert.Nil(t, w.read(source, w.Away, "copy-0"))
			w.Merge(source, `{"spec":{"size":2}}`)
			for i := range rules[1:] {
				w.Exists(source, w.Away, fmt.Sprint("copy-", i+1), func(o *unstructured.Unstructured) bool {
					size, _, _ := unstructured.NestedInt64(o.Object, "spec", "size")
					return size == 2
				})
				w.Ready(rules[i+1])
			}
		})
	}
}
