package app_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// gadgets defines a kind of the test's own, and returns the definition and a source of the kind.
func gadgets(w *fixture.World) (definition, source *unstructured.Unstructured) {
	w.T.Helper()
	definition = w.Create(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.$HOME.example.com}
spec:
  group: $HOME.example.com
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets, singular: gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`)
	w.T.Cleanup(func() { w.Delete(definition) })
	source = w.Object(`
apiVersion: $HOME.example.com/v1
kind: Gadget
metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec: {size: 1}
`)
	w.Eventually(definition, func() bool { return w.Client.Create(w.T.Context(), source) == nil }, "the kind is not served")
	return definition, source
}

// becomesQuiet waits until the user has made no request for a second.
func becomesQuiet(t *testing.T, user string) {
	t.Helper()
	require.Eventually(t, func() bool {
		mark := fixture.Mark(t, cluster)
		<-time.After(time.Second)
		return len(fixture.RequestsSince(t, cluster, mark, user)) == 0
	}, env.Timeout, env.Interval)
}

// TestDefinitionThatServesTheSameCostsNoRequest annotates the definition of a kind that several rules have sources of.
func TestDefinitionThatServesTheSameCostsNoRequest(t *testing.T) {
	const user = "annotated"
	config, err := cluster.ConfigFor(user, "system:masters")
	require.NoError(t, err)
	run(t, config, nil).ready()
	w := fixture.New(t, cluster.Config)
	definition, source := gadgets(w)
	for i := range 5 {
		w.Ready(w.Project(fmt.Sprint("rule-", i), source, func(rule *v1.Projection) { rule.Spec.Destination.Name = fmt.Sprint("copy-", i) }))
	}
	becomesQuiet(t, user)

	mark := fixture.Mark(t, cluster)
	for i := range 20 {
		w.Merge(definition, fmt.Sprintf(`{"metadata":{"annotations":{"example.com/note":"%d"}}}`, i))
	}
	becomesQuiet(t, user)
	assert.Empty(t, fixture.RequestsSince(t, cluster, mark, user))

	// A change of what is served is followed by each rule.
	mark = fixture.Mark(t, cluster)
	w.Merge(definition, `{"spec":{"names":{"shortNames":["gdg"]}}}`)
	w.Eventually(definition, func() bool { return len(fixture.RequestsSince(t, cluster, mark, user)) > 0 }, "nobody looks")
}

// TestKindThatIsBeingDeletedAtTheStartGetsNoCopies starts the manager when the definition is being deleted already.
func TestKindThatIsBeingDeletedAtTheStartGetsNoCopies(t *testing.T) {
	w := fixture.New(t, cluster.Config)
	first := run(t, cluster.Config, nil)
	definition, source := gadgets(w)
	rule := w.Project("rule", source)
	w.Ready(rule)
	first.stop()

	w.Merge(source, `{"metadata":{"finalizers":["example.com/hold"]}}`) // so the definition waits for it
	t.Cleanup(func() {
		release := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		assert.NoError(t, w.Client.Patch(context.Background(), source, release))
	})
	w.Delete(definition)
	copied := w.Object(`{apiVersion: $HOME.example.com/v1, kind: Gadget, metadata: {name: it, namespace: $AWAY}}`)
	w.Gone(copied)

	run(t, cluster.Config, nil)
	says := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
	assert.Contains(t, says.Message, "is deleting the CustomResourceDefinition of Gadget")
	err := w.Client.Get(t.Context(), client.ObjectKeyFromObject(copied), copied)
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
}
