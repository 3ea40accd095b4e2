package crash_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// spread is a rule with copies in many namespaces.
type spread struct {
	*world

	of      *unstructured.Unstructured // its source
	members []string
}

// newSpread returns a world of one lane whose rule has no target yet.
func newSpread(t *testing.T, lane, source string) *spread {
	t.Helper()
	s := &spread{world: newWorld(t, lane, v1.KindClusterProjection)}
	s.group(one, false)
	s.group(two, false)
	s.of = s.Create(fmt.Sprintf(source, s.name(home)))
	rule := s.rule("rule")
	rule.SetLabels(map[string]string{laneLabel: lane})
	manifest := fmt.Sprintf(`{spec: {source: {group: %q, kind: %s, namespace: %s, name: settings}, destination: {namespaceSelector: {matchLabels: {%s: %s}}}}}`,
		s.of.GroupVersionKind().Group, s.of.GetKind(), s.name(home), groupLabel, s.id)
	require.NoError(t, yaml.Unmarshal([]byte(manifest), &rule.Object))
	require.NoError(t, s.Client.Create(t.Context(), rule))
	return s
}

// joining is how many namespaces become targets at a time.
const joining = 5

// join makes namespaces with the labels targets, and waits until all targets have a copy in sync.
func (s *spread) join(labels map[string]string) {
	s.T.Helper()
	for range joining {
		all := map[string]string{groupLabel: s.id}
		maps.Copy(all, labels)
		s.members = append(s.members, s.Namespace("member", all))
	}
	rule := s.rule("rule")
	require.Eventually(s.T, func() bool {
		require.NoError(s.T, s.Client.Get(s.T.Context(), client.ObjectKeyFromObject(rule), rule))
		written, _, _ := unstructured.NestedInt64(rule.Object, "status", "namespacesWritten")
		return written == int64(len(s.members))
	}, timeout, interval)
}

// appliedFields returns what the status of the rule says of the copies' fields.
func (s *spread) appliedFields() string {
	s.T.Helper()
	rule := s.rule("rule")
	require.NoError(s.T, s.Client.Get(s.T.Context(), client.ObjectKeyFromObject(rule), rule))
	fields, _, _ := unstructured.NestedString(rule.Object, "status", "appliedFields")
	return fields
}

// TestCopiesThatAPolicyChangesAreNotWrittenAgain has admission change the copies in half of the namespaces whenever they are written.
func TestCopiesThatAPolicyChangesAreNotWrittenAgain(t *testing.T) {
	t.Parallel()
	const lane = "mutated"
	first, _ := serve(t, lane, "first")
	s := newSpread(t, lane, `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: %s, annotations: {projection.sh/projectable: "true"}},
  data: {color: red, size: "1"}}`)
	s.mutate()
	s.join(nil)
	s.join(map[string]string{"mutated": s.id})
	fields := s.appliedFields()
	for i, member := range s.members {
		copied, err := s.Get(s.of, member, "settings")
		require.NoError(t, err)
		data, _, _ := unstructured.NestedStringMap(copied.Object, "data")
		assert.Equal(t, i < joining, data["color"] == "red" && data["size"] == "1", "%v", data)
	}
	require.NoError(t, first.Stop())

	mark := fixture.Mark(t, cluster)
	_, user := serve(t, lane, "second")
	requests := quiet(t, mark, user, 1)
	assert.False(t, slices.ContainsFunc(requests, isWrite), "%v", requests)
	assert.Equal(t, fields, s.appliedFields())
}

// TestCopiesWithDifferentFieldSetsAreNotWrittenAgain changes the schema of the kind between the first and the last copies: then the
// API server records other fields for the same content.
func TestCopiesWithDifferentFieldSetsAreNotWrittenAgain(t *testing.T) {
	t.Parallel()
	const lane = "field-sets"
	first, _ := serve(t, lane, "first")
	definePieces(t, "atomic")
	s := newSpread(t, lane, `{apiVersion: crash.example.com/v1, kind: Piece, metadata: {name: settings, namespace: %s, annotations: {projection.sh/projectable: "true"}},
  spec: {parts: [a, b]}}`)
	s.join(nil)
	definePieces(t, "set")
	s.join(nil)
	fields := s.appliedFields()
	assert.Len(t, strings.Split(fields, ","), 2, fields)
	require.NoError(t, first.Stop())

	mark := fixture.Mark(t, cluster)
	_, user := serve(t, lane, "second")
	requests := quiet(t, mark, user, 1)
	assert.False(t, slices.ContainsFunc(requests, isWrite), "%v", requests)
	assert.Equal(t, fields, s.appliedFields())
}

// definePieces defines a kind with a list of the type, and waits until the API server records fields accordingly.
func definePieces(t *testing.T, listType string) {
	t.Helper()
	w := fixture.NewEmpty(t, cluster.Config)
	w.Apply(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pieces.crash.example.com}
spec:
  group: crash.example.com
  scope: Namespaced
  names: {kind: Piece, plural: pieces, singular: piece}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      parts: {type: array, items: {type: string}, x-kubernetes-list-type: ` + listType + `}}}}}}
`)
	require.Eventually(t, func() bool {
		probe := w.Object(`{apiVersion: crash.example.com/v1, kind: Piece, metadata: {name: probe, namespace: default}, spec: {parts: [a]}}`)
		err := w.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(probe), client.FieldOwner("probe"), client.DryRunAll)
		if err != nil {
			return false
		}
		managed := probe.GetManagedFields()
		return len(managed) == 1 && strings.Contains(string(managed[0].FieldsV1.GetRawBytes()), "v:") == (listType == "set")
	}, timeout, interval)
}

// mutate has the API server ask a webhook about ConfigMaps in namespaces that are labelled mutated. It adds a label, changes a value,
// and removes a key.
func (s *spread) mutate() {
	s.T.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(answerWithPatch))
	s.T.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	configuration := s.Create(`
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: ` + s.id + `}
webhooks:
- name: mutating.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "` + server.URL + `", caBundle: ` + base64.StdEncoding.EncodeToString(authority) + `}
  namespaceSelector: {matchLabels: {mutated: ` + s.id + `}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]
`)
	s.T.Cleanup(func() { s.Delete(configuration) })
	namespace := s.Namespace("probe", map[string]string{"mutated": s.id})
	require.Eventually(s.T, func() bool {
		probe := s.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {generateName: probe-, namespace: ` + namespace + `, labels: {a: b}}, data: {color: red, size: "1"}}`)
		require.NoError(s.T, s.Client.Create(s.T.Context(), probe, client.DryRunAll))
		return probe.GetLabels()["mutated"] == "yes"
	}, timeout, interval)
}

func answerWithPatch(response http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	var object struct {
		Data map[string]string `json:"data"`
	}
	_ = json.Unmarshal(review.Request.Object.Raw, &object)
	patch := `{"op":"add","path":"/metadata/labels/mutated","value":"yes"}`
	if _, found := object.Data["size"]; found {
		patch += `,{"op":"remove","path":"/data/size"},{"op":"replace","path":"/data/color","value":"grey"}`
	}
	review.Response = &admissionv1.AdmissionResponse{
		UID: review.Request.UID, Allowed: true, Patch: []byte("[" + patch + "]"), PatchType: new(admissionv1.PatchTypeJSONPatch),
	}
	encoded, err := json.Marshal(review)
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = response.Write(encoded) // who does not wait for it does without
}
