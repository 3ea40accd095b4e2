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
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
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
	w.T.Helper()
	object := w.Object(`{apiVersion: $HOME.example.com/` + version + `, kind: Gadget, metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}, spec: {size: 1}}`)
	require.Eventually(w.T, func() bool { return w.Client.Create(w.T.Context(), object) == nil }, env.Timeout, env.Interval)
	return object
}

func TestKindThatIsDefinedLaterGoesAndComesBackInAnotherVersion(t *testing.T) {
	w := newWorld(t)
	rule := w.Project("gadget", w.Object(`{apiVersion: $HOME.example.com/v1alpha1, kind: Gadget, metadata: {name: it, namespace: $HOME}}`))
	w.Merge(rule, `{"spec":{"source":{"version":null}}}`)
	condition := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
	assert.Contains(t, condition.Message, "does not serve the group")

	crd := w.Create(fmt.Sprintf(definition, version("v1alpha1", true)))
	t.Cleanup(func() { w.Delete(crd) })
	source := w.gadget("v1alpha1")
	w.Ready(rule)
	w.Exists(source, w.Away, "it", fixture.Anything)

	t.Run("promoted", func(t *testing.T) {
		w.Merge(crd, `{"spec":{"versions":[`+asJSON(version("v1alpha1", true))+`,`+asJSON(version("v1", false))+`]}}`)
		require.Eventually(t, func() bool {
			c := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
			return strings.Contains(c.Message, "preferred version "+w.Home+".example.com/v1;")
		}, env.Timeout, env.Interval)
		w.Merge(source, `{"spec":{"size":2}}`)
		w.Exists(source, w.Away, "it", func(o *unstructured.Unstructured) bool {
			size, _, _ := unstructured.NestedInt64(o.Object, "spec", "size")
			return size == 2
		})
	})
	t.Run("gone", func(t *testing.T) {
		w.Delete(crd)
		w.gone(crd, "", crd.GetName())
		w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
	})
	t.Run("back", func(t *testing.T) {
		crd = w.Create(fmt.Sprintf(definition, version("v2", true)))
		source = w.gadget("v2")
		w.Ready(rule)
		w.Exists(source, w.Away, "it", fixture.Anything)
	})
	t.Run("gone with the rule left behind", func(t *testing.T) {
		w.Delete(crd)
		w.gone(crd, "", crd.GetName())
		w.Delete(rule)
		w.Gone(rule)
	})
}

func TestNoCopyIsWrittenOfAKindThatIsBeingRemoved(t *testing.T) {
	w := newWorld(t)
	crd := w.Create(fmt.Sprintf(definition, version("v1", true)))
	t.Cleanup(func() { w.Delete(crd) })
	source := w.gadget("v1")
	w.Merge(source, `{"metadata":{"finalizers":["example.com/hold"]}}`) // it stays for as long as the test takes
	rule := w.Project("gadget", source)
	w.Ready(rule)
	w.settles()

	requests := w.requestsOf(func() {
		w.Delete(crd)
		w.gone(source, w.Away, "it")
		w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
		w.Merge(source, `{"metadata":{"finalizers":null}}`)
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
