package integration_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// serveKind has the API server serve every version of the definition, or none. It keeps the objects either way.
func (w *world) serveKind(crd *unstructured.Unstructured, served bool) {
	w.T.Helper()
	entry := strings.Replace(version("v1", true), "served: true", fmt.Sprintf("served: %t", served), 1)
	w.Merge(crd, `{"spec":{"versions":[`+asJSON(entry)+`]}}`)
}

// unserved is a rule with a copy of a kind that is no longer served.
func unserved(w *world) (crd, source *unstructured.Unstructured, rule *v1.Projection) {
	crd = w.Create(fmt.Sprintf(definition, version("v1", true)))
	w.T.Cleanup(func() { w.Delete(crd) })
	source = w.gadget("v1")
	rule = w.Project("gadget", source)
	w.Ready(rule)
	w.Exists(source, w.Away, "it", fixture.Anything)
	w.serveKind(crd, false)
	w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
	return crd, source, rule
}

func TestRuleWaitsForItsKindToBeServedAgain(t *testing.T) {
	w := newWorld(t)
	crd, source, rule := unserved(w)
	w.Delete(rule)
	waits := w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	assert.Contains(t, waits.Message, "the CRD gadgets."+w.Home+".example.com does not serve the kind Gadget")
	assert.Contains(t, waits.Message, v1.FinalizerProjection)

	w.serveKind(crd, true)
	w.gone(source, w.Away, "it")
	w.Gone(rule)
}

// unservedBefore is a rule with a copy of a kind that is no longer served, which names a ConfigMap by now.
func unservedBefore(w *world) (crd, source *unstructured.Unstructured, rule *v1.Projection, next *unstructured.Unstructured) {
	crd, source, rule = unserved(w)
	next = w.Apply(configMap)
	w.Merge(rule, `{"spec":{"source":{"group":null,"version":null,"kind":"ConfigMap","name":"settings"}}}`)
	w.Exists(next, w.Away, "settings", fixture.Anything)
	return crd, source, rule, next
}

func TestRuleOfAKindThatIsNotServedGoesWithItsDefinition(t *testing.T) {
	w := newWorld(t)
	crd, _, rule := unserved(w)
	w.Delete(rule)
	w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	w.Delete(crd)
	w.Gone(rule)
}

func TestCopiesOfAnEarlierKindAreRemovedWhenItIsServedAgain(t *testing.T) {
	w := newWorld(t)
	crd, source, rule, next := unservedBefore(w)
	waits := w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	assert.Contains(t, waits.Message, "the CRD gadgets."+w.Home+".example.com does not serve the kind Gadget")
	assert.Contains(t, rule.Annotations[v1.AnnotationWrittenKinds], "Gadget")
	w.Merge(next, `{"data":{"color":"blue"}}`)
	w.Exists(next, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })

	w.serveKind(crd, true)
	w.gone(source, w.Away, "it")
	w.Ready(rule)
	assert.Equal(t, "ConfigMap", rule.Annotations[v1.AnnotationWrittenKinds])
}

func TestCopiesOfOtherKindsGoWhileOneIsNotServed(t *testing.T) {
	w := newWorld(t)
	crd, source, rule, next := unservedBefore(w)
	w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	w.Delete(rule)
	w.gone(next, w.Away, "settings")
	w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	w.serveKind(crd, true)
	w.gone(source, w.Away, "it")
	w.Gone(rule)
}

// TestKindIsGivenUpByHand is what the condition says one can do.
func TestKindIsGivenUpByHand(t *testing.T) {
	w := newWorld(t)
	crd, source, rule, _ := unservedBefore(w)
	waits := w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	assert.Contains(t, waits.Message, v1.AnnotationWrittenKinds)
	w.Merge(rule, `{"metadata":{"annotations":{"projection.sh/written-kinds":"ConfigMap"}}}`)
	w.Ready(rule)
	w.serveKind(crd, true)
	left := w.Exists(source, w.Away, "it", fixture.Anything)
	w.Delete(rule)
	w.Gone(rule)
	kept, err := w.Get(left, w.Away, "it")
	require.NoError(t, err)
	assert.Equal(t, left.GetUID(), kept.GetUID())
}

// TestRuleWaitsForAnExtensionOfTheAPI has a rule whose copies were of a kind that an extension API server serves.
func TestRuleWaitsForAnExtensionOfTheAPI(t *testing.T) {
	w := newWorld(t)
	service := w.Create(`
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.$HOME.example.com}
spec: {group: $HOME.example.com, version: v1, groupPriorityMinimum: 1000, versionPriority: 10, insecureSkipTLSVerify: true, service: {namespace: $HOME, name: nobody}}
`)
	t.Cleanup(func() { w.Delete(service) })
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	w.Merge(rule, `{"metadata":{"annotations":{"projection.sh/written-kinds":"ConfigMap,Gadget.`+w.Home+`.example.com"}}}`)
	w.Delete(rule)
	w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
	assert.Contains(t, rule.Finalizers, v1.FinalizerProjection)
	w.Merge(rule, `{"metadata":{"finalizers":null}}`)
}

// TestBuiltInKindThatIsNotServedIsWaitedFor covers kinds that an administrator can switch off, or that an upgrade brings.
func TestBuiltInKindThatIsNotServedIsWaitedFor(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	w.Merge(rule, `{"metadata":{"annotations":{"projection.sh/written-kinds":"ConfigMap,Tomorrow.batch"}}}`)
	w.Delete(rule)
	waits := w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	assert.Contains(t, waits.Message, "Tomorrow.batch")
	w.Merge(rule, `{"metadata":{"finalizers":null}}`)
}

// TestRuleThatNamesAKindNobodyServesCanBeDeleted has written copies before, of another kind.
func TestRuleThatNamesAKindNobodyServesCanBeDeleted(t *testing.T) {
	for name, kind := range map[string]string{"of a built-in group": `"group":"batch","kind":"Jobb"`, "of another": `"group":"nobody.example.com","kind":"Thing"`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Apply(configMap)
			rule := w.Project("settings", source)
			w.Ready(rule)
			w.Merge(rule, `{"spec":{"source":{"version":null,`+kind+`}}}`)
			w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
			w.Delete(rule)
			w.gone(source, w.Away, "settings")
			w.Gone(rule)
		})
	}
}
