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
)

// serveKind has the API server serve every version of the definition, or none. It keeps the objects either way.
func (w *world) serveKind(crd *unstructured.Unstructured, served bool) {
	w.t.Helper()
	entry := strings.Replace(version("v1", true), "served: true", fmt.Sprintf("served: %t", served), 1)
	w.merge(crd, `{"spec":{"versions":[`+asJSON(entry)+`]}}`)
}

// unserved is a rule with a copy of a kind that is no longer served.
func unserved(w *world) (crd, source *unstructured.Unstructured, rule *v1.Projection) {
	crd = w.create(fmt.Sprintf(definition, version("v1", true)))
	w.t.Cleanup(func() { w.dispose(crd) })
	source = w.gadget("v1")
	rule = w.project("gadget", source)
	w.ready(rule)
	w.exists(source, w.away, "it", anything)
	w.serveKind(crd, false)
	w.says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
	return crd, source, rule
}

func TestRuleWaitsForItsKindToBeServedAgain(t *testing.T) {
	w := newWorld(t)
	crd, source, rule := unserved(w)
	w.delete(rule)
	waits := w.says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	assert.Contains(t, waits.Message, "Gadget."+w.home+".example.com")
	assert.Contains(t, waits.Message, v1.FinalizerProjection)

	w.serveKind(crd, true)
	w.gone(source, w.away, "it")
	w.ruleGone(rule)
}

// unservedBefore is a rule with a copy of a kind that is no longer served, which names a ConfigMap by now.
func unservedBefore(w *world) (crd, source *unstructured.Unstructured, rule *v1.Projection, next *unstructured.Unstructured) {
	crd, source, rule = unserved(w)
	next = w.apply(configMap)
	w.merge(rule, `{"spec":{"source":{"group":null,"version":null,"kind":"ConfigMap","name":"settings"}}}`)
	w.exists(next, w.away, "settings", anything)
	return crd, source, rule, next
}

func TestRuleOfAKindThatIsNotServedGoesWithItsDefinition(t *testing.T) {
	w := newWorld(t)
	crd, _, rule := unserved(w)
	w.delete(rule)
	w.says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	w.delete(crd)
	w.ruleGone(rule)
}

func TestCopiesOfAnEarlierKindAreRemovedWhenItIsServedAgain(t *testing.T) {
	w := newWorld(t)
	crd, source, rule, next := unservedBefore(w)
	waits := w.says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	assert.Contains(t, waits.Message, "Gadget."+w.home+".example.com")
	assert.Contains(t, rule.Annotations[v1.AnnotationWrittenKinds], "Gadget")
	w.merge(next, `{"data":{"color":"blue"}}`)
	w.exists(next, w.away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })

	w.serveKind(crd, true)
	w.gone(source, w.away, "it")
	w.ready(rule)
	assert.Equal(t, "ConfigMap", rule.Annotations[v1.AnnotationWrittenKinds])
}

func TestCopiesOfOtherKindsGoWhileOneIsNotServed(t *testing.T) {
	w := newWorld(t)
	crd, source, rule, next := unservedBefore(w)
	w.says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	w.delete(rule)
	w.gone(next, w.away, "settings")
	w.says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	w.serveKind(crd, true)
	w.gone(source, w.away, "it")
	w.ruleGone(rule)
}

// TestKindIsGivenUpByHand is what the condition says one can do.
func TestKindIsGivenUpByHand(t *testing.T) {
	w := newWorld(t)
	crd, source, rule, _ := unservedBefore(w)
	waits := w.says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	assert.Contains(t, waits.Message, v1.AnnotationWrittenKinds)
	w.merge(rule, `{"metadata":{"annotations":{"projection.sh/written-kinds":"ConfigMap"}}}`)
	w.ready(rule)
	w.serveKind(crd, true)
	left := w.exists(source, w.away, "it", anything)
	w.delete(rule)
	w.ruleGone(rule)
	kept, err := w.get(left, w.away, "it")
	require.NoError(t, err)
	assert.Equal(t, left.GetUID(), kept.GetUID())
}

// TestRuleWaitsForAnExtensionOfTheAPI has a rule whose copies were of a kind that an extension API server serves.
func TestRuleWaitsForAnExtensionOfTheAPI(t *testing.T) {
	w := newWorld(t)
	service := w.create(`
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.$HOME.example.com}
spec: {group: $HOME.example.com, version: v1, groupPriorityMinimum: 1000, versionPriority: 10, insecureSkipTLSVerify: true, service: {namespace: $HOME, name: nobody}}
`)
	t.Cleanup(func() { w.dispose(service) })
	source := w.apply(configMap)
	rule := w.project("settings", source)
	w.ready(rule)
	w.merge(rule, `{"metadata":{"annotations":{"projection.sh/written-kinds":"ConfigMap,Gadget.`+w.home+`.example.com"}}}`)
	w.delete(rule)
	w.says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	require.NoError(t, w.client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
	assert.Contains(t, rule.Finalizers, v1.FinalizerProjection)
	w.merge(rule, `{"metadata":{"finalizers":null}}`)
}

// TestBuiltInKindThatIsNotServedIsWaitedFor covers kinds that an administrator can switch off, or that an upgrade brings.
func TestBuiltInKindThatIsNotServedIsWaitedFor(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	rule := w.project("settings", source)
	w.ready(rule)
	w.merge(rule, `{"metadata":{"annotations":{"projection.sh/written-kinds":"ConfigMap,Tomorrow.batch"}}}`)
	w.delete(rule)
	waits := w.says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
	assert.Contains(t, waits.Message, "Tomorrow.batch")
	w.merge(rule, `{"metadata":{"finalizers":null}}`)
}

// TestRuleThatNamesAKindNobodyServesCanBeDeleted has written copies before, of another kind.
func TestRuleThatNamesAKindNobodyServesCanBeDeleted(t *testing.T) {
	for name, kind := range map[string]string{"of a built-in group": `"group":"batch","kind":"Jobb"`, "of another": `"group":"nobody.example.com","kind":"Thing"`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.apply(configMap)
			rule := w.project("settings", source)
			w.ready(rule)
			w.merge(rule, `{"spec":{"source":{"version":null,`+kind+`}}}`)
			w.says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
			w.delete(rule)
			w.gone(source, w.away, "settings")
			w.ruleGone(rule)
		})
	}
}
