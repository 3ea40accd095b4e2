package destination_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

const applier = "the-applier"

// given is an object that an applier applies first with a field and then without it.
type given struct {
	resource      schema.GroupVersionResource
	with, without string
	owned         fieldpath.Path // the field in managedFields
	value         func(*unstructured.Unstructured) any
	byAnother     string // a patch by which somebody else sets the field
	// was is the value that the applier sets, reset what becomes of it if the applier omits it, and others what somebody else sets.
	was, reset, others any
}

func deploymentWith(spec, container string) string {
	return `{apiVersion: apps/v1, kind: Deployment, metadata: {name: settings}, spec: {` + spec + `
selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: a` + container + `}]}}}}`
}

func givenObjects() map[string]given {
	container := func(object *unstructured.Unstructured) map[string]any {
		containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
		return containers[0].(map[string]any)
	}
	return map[string]given{
		"a field that has a default": {
			resource: deployments, with: deploymentWith("replicas: 3,", ""), without: deploymentWith("", ""),
			owned: fieldpath.MakePathOrDie("spec", "replicas"),
			value: func(object *unstructured.Unstructured) any {
				return object.Object["spec"].(map[string]any)["replicas"]
			},
			byAnother: `{"spec":{"replicas":5}}`, was: int64(3), reset: int64(1), others: int64(5),
		},
		"a field of an element of a list": {
			resource: deployments, with: deploymentWith("", ", workingDir: /ours"), without: deploymentWith("", ""),
			owned:     fieldpath.MakePathOrDie("spec", "template", "spec", "containers", fieldpath.KeyByFields("name", "web"), "workingDir"),
			value:     func(object *unstructured.Unstructured) any { return container(object)["workingDir"] },
			byAnother: `{"spec":{"template":{"spec":{"containers":[{"name":"web","workingDir":"/theirs"}]}}}}`,
			was:       "/ours", reset: nil, others: "/theirs",
		},
		"a field of a custom resource": {
			resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
			with:     `{apiVersion: example.com/v1, kind: Widget, metadata: {name: settings}, spec: {color: ours, size: "1"}}`,
			without:  `{apiVersion: example.com/v1, kind: Widget, metadata: {name: settings}, spec: {size: "1"}}`,
			owned:    fieldpath.MakePathOrDie("spec", "color"),
			value: func(object *unstructured.Unstructured) any {
				return object.Object["spec"].(map[string]any)["color"]
			},
			byAnother: `{"spec":{"color":"theirs"}}`, was: "ours", reset: nil, others: "theirs",
		},
	}
}

// An applier that omits a field resets it. One that takes the field out of its entry of managedFields first does not: the value stays,
// belongs to nobody, and anybody may set it.
func TestFieldThatIsTakenOutOfAnEntryKeepsItsValue(t *testing.T) {
	for name, test := range givenObjects() {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, test.resource)
			w.applyAs(test.with)
			assert.Equal(t, test.reset, test.value(w.applyAs(test.without)), "what becomes of it otherwise")

			before := w.applyAs(test.with)
			require.Equal(t, test.was, test.value(before))
			after := w.takeOut(before, test.owned)
			assert.Equal(t, test.was, test.value(after))
			assert.Equal(t, before.GetGeneration(), after.GetGeneration())
			assert.False(t, entryOf(t, after).Has(test.owned))
			assert.Equal(t, 1, entryOf(t, before).Difference(entryOf(t, after)).Size(), "nothing else is given up")

			assert.Equal(t, test.was, test.value(w.applyAs(test.without)), "it is nobody's")
			patchType := types.StrategicMergePatchType
			if test.resource.Group == "example.com" {
				patchType = types.MergePatchType
			}
			_, err := w.objects().Patch(t.Context(), "settings", patchType, []byte(test.byAnother), metav1.PatchOptions{FieldManager: "another"})
			require.NoError(t, err)
			assert.Equal(t, test.others, test.value(w.applyAs(test.without)), "it is another's")
		})
	}
}

// An entry of which nothing is left is one that the API server drops; the entries of others stay.
func TestEntryThatIsTakenOutAsAWhole(t *testing.T) {
	w := newFixture(t, configMaps)
	w.applyAs(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: "1"}}`)
	_, err := w.objects().Patch(t.Context(), "settings", types.MergePatchType, []byte(`{"data":{"b":"2"}}`), metav1.PatchOptions{FieldManager: "another"})
	require.NoError(t, err)

	after := w.takeOut(w.get(), fieldpath.MakePathOrDie("data", "a"))

	assert.Equal(t, map[string]any{"a": "1", "b": "2"}, after.Object["data"])
	for _, entry := range after.GetManagedFields() {
		assert.Equal(t, "another", entry.Manager)
	}
}

// applyAs applies the manifest as the applier.
func (w *fixture) applyAs(manifest string) *unstructured.Unstructured {
	w.t.Helper()
	object := source(w.t, manifest)
	object.SetNamespace(w.namespace)
	applied, err := w.objects().Apply(w.t.Context(), "settings", object, metav1.ApplyOptions{FieldManager: applier, Force: true})
	require.NoError(w.t, err)
	return applied
}

// takeOut takes the field out of the entry of the applier.
func (w *fixture) takeOut(object *unstructured.Unstructured, field fieldpath.Path) *unstructured.Unstructured {
	w.t.Helper()
	entries := object.GetManagedFields()
	for i := range entries {
		if entries[i].Manager == applier {
			raw, err := entryOf(w.t, object).Difference(fieldpath.NewSet(field)).ToJSON()
			require.NoError(w.t, err)
			entries[i].FieldsV1 = metav1.NewFieldsV1(string(raw))
		}
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": entries},
		{"op": "replace", "path": "/metadata/resourceVersion", "value": object.GetResourceVersion()},
	})
	require.NoError(w.t, err)
	after, err := w.objects().Patch(w.t.Context(), "settings", types.JSONPatchType, patch, metav1.PatchOptions{})
	require.NoError(w.t, err)
	return after
}

// entryOf returns the set of fields of the applier.
func entryOf(t *testing.T, object *unstructured.Unstructured) *fieldpath.Set {
	t.Helper()
	set := fieldpath.NewSet()
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == applier {
			require.NoError(t, set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())))
		}
	}
	return set
}
