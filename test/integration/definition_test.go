package integration_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
)

// definition is a CustomResourceDefinition whose group only this test uses.
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.$HOME.example.com}
spec:
  group: $HOME.example.com
  names: {kind: Gadget, listKind: GadgetList, plural: gadgets, singular: gadget}
  scope: Namespaced
  versions: [%s]
`

func version(name string, storage bool) string {
	return fmt.Sprintf(`{name: %s, served: true, storage: %t, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`, name, storage)
}

// gadget creates the source as soon as its kind is served in the version.
func (w *world) gadget(version string) *unstructured.Unstructured {
	w.t.Helper()
	object := w.object(`{apiVersion: $HOME.example.com/` + version + `, kind: Gadget, metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}, spec: {size: 1}}`)
	require.Eventually(w.t, func() bool { return w.client.Create(w.t.Context(), object) == nil }, soon, tick)
	return object
}

func TestKindThatIsDefinedLaterGoesAndComesBackInAnotherVersion(t *testing.T) {
	w := newWorld(t)
	rule := w.project("gadget", w.object(`{apiVersion: $HOME.example.com/v1alpha1, kind: Gadget, metadata: {name: it, namespace: $HOME}}`))
	w.merge(rule, `{"spec":{"source":{"version":null}}}`)
	condition := w.says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
	assert.Contains(t, condition.Message, "does not serve the group")

	crd := w.create(fmt.Sprintf(definition, version("v1alpha1", true)))
	t.Cleanup(func() { w.dispose(crd) })
	source := w.gadget("v1alpha1")
	w.ready(rule)
	w.exists(source, w.away, "it", anything)

	t.Run("promoted", func(t *testing.T) {
		w.merge(crd, `{"spec":{"versions":[`+asJSON(version("v1alpha1", true))+`,`+asJSON(version("v1", false))+`]}}`)
		require.Eventually(t, func() bool {
			c := w.says(rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
			return strings.HasSuffix(c.Message, "preferred version v1")
		}, soon, tick)
		w.merge(source, `{"spec":{"size":2}}`)
		w.exists(source, w.away, "it", func(o *unstructured.Unstructured) bool {
			size, _, _ := unstructured.NestedInt64(o.Object, "spec", "size")
			return size == 2
		})
	})
	t.Run("gone", func(t *testing.T) {
		w.delete(crd)
		w.gone(crd, "", crd.GetName())
		w.says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
	})
	t.Run("back", func(t *testing.T) {
		crd = w.create(fmt.Sprintf(definition, version("v2", true)))
		source = w.gadget("v2")
		w.ready(rule)
		w.exists(source, w.away, "it", anything)
	})
	t.Run("gone with the rule left behind", func(t *testing.T) {
		w.delete(crd)
		w.gone(crd, "", crd.GetName())
		w.delete(rule)
		w.ruleGone(rule)
	})
}

func TestNoCopyIsWrittenOfAKindThatIsBeingRemoved(t *testing.T) {
	w := newWorld(t)
	crd := w.create(fmt.Sprintf(definition, version("v1", true)))
	t.Cleanup(func() { w.dispose(crd) })
	source := w.gadget("v1")
	w.merge(source, `{"metadata":{"finalizers":["example.com/hold"]}}`) // it stays for as long as the test takes
	rule := w.project("gadget", source)
	w.ready(rule)
	w.settles()

	requests := w.requestsOf(func() {
		w.delete(crd)
		w.gone(source, w.away, "it")
		w.says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
		w.merge(source, `{"metadata":{"finalizers":null}}`)
		w.gone(crd, "", crd.GetName())
	})

	refused := 0
	for _, request := range requests {
		if request.Verb == "patch" && request.Resource == "gadgets" {
			refused++
			assert.GreaterOrEqual(t, request.Code, int32(http.StatusBadRequest), "%v", request)
		}
	}
	assert.LessOrEqual(t, refused, 1, "who hears of the copy's end before that of the kind tries once: %v", requests)
}

func asJSON(manifest string) string {
	object := map[string]any{}
	must(yaml.Unmarshal([]byte(manifest), &object))
	encoded, err := json.Marshal(object)
	must(err)
	return string(encoded)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
