package integration_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// fanOut creates a ClusterProjection of the source, named after the namespace that tests copy to. The destination is a
// manifest; $LABEL stands for a label value that only this test uses.
func (w *world) fanOut(source *unstructured.Unstructured, destination string) *v1.ClusterProjection {
	w.t.Helper()
	gvk := source.GroupVersionKind()
	object := w.object(fmt.Sprintf(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $AWAY}
spec:
  source: {group: %q, kind: %s, namespace: %s, name: %s}
  destination: %s
`, gvk.Group, gvk.Kind, source.GetNamespace(), source.GetName(), destination))
	require.NoError(w.t, w.client.Create(w.t.Context(), object))
	w.t.Cleanup(func() { w.dispose(object) })
	return &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: w.away}}
}

// counts waits until the rule reports so many copies written and failed.
func (w *world) counts(rule *v1.ClusterProjection, written, failed int32) {
	w.t.Helper()
	if !assert.Eventually(w.t, func() bool {
		if err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(rule), rule); err != nil {
			return false
		}
		s := rule.Status
		return s.ObservedGeneration == rule.Generation && s.NamespacesWritten != nil && *s.NamespacesWritten == written && *s.NamespacesFailed == failed
	}, soon, tick) {
		require.FailNowf(w.t, "the counts are wrong", "%d and %d are to be counted; the status is %+v", written, failed, rule.Status)
	}
}

func (w *world) member(labels string) string {
	w.t.Helper()
	name := w.namespace("member")
	w.label(name, labels)
	return name
}

func (w *world) label(namespace, labels string) {
	w.t.Helper()
	w.merge(w.object(`{apiVersion: v1, kind: Namespace, metadata: {name: `+namespace+`}}`), `{"metadata":{"labels":`+labels+`}}`)
}

// selected is the label that only this test's namespaces have.
func (w *world) selected() string { return fmt.Sprintf(`{"group":%q}`, w.home) }

func TestSelectorFollowsNamespaces(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	one := w.member(w.selected())
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	w.counts(rule, 1, 0)
	w.exists(source, one, "settings", anything)

	t.Run("a new namespace", func(t *testing.T) {
		two := w.member(w.selected())
		w.exists(source, two, "settings", anything)
		w.counts(rule, 2, 0)
	})
	t.Run("a lost label", func(t *testing.T) {
		w.label(one, `{"group":null}`)
		w.gone(source, one, "settings")
		w.counts(rule, 1, 0)
	})
	t.Run("a label that comes back", func(t *testing.T) {
		w.label(one, w.selected())
		w.exists(source, one, "settings", anything)
		w.counts(rule, 2, 0)
	})
	t.Run("an edit", func(t *testing.T) {
		w.merge(source, `{"data":{"color":"blue"}}`)
		w.exists(source, one, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	})
	t.Run("a deleted namespace", func(t *testing.T) {
		w.delete(w.object(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + one + `}}`))
		w.counts(rule, 1, 0)
	})
	t.Run("the source's own namespace", func(t *testing.T) {
		w.label(w.home, w.selected())
		w.settles()
		w.counts(rule, 1, 0)
	})
	t.Run("a deleted rule", func(t *testing.T) {
		w.delete(rule)
		w.ruleGone(rule)
		var left unstructured.UnstructuredList
		left.SetGroupVersionKind(source.GroupVersionKind())
		require.Eventually(t, func() bool {
			require.NoError(t, w.client.List(t.Context(), &left, client.MatchingLabels{v1.LabelOwnedByClusterProjectionUID: string(rule.UID)}))
			return len(left.Items) == 0
		}, soon, tick)
		w.exists(source, w.home, "settings", anything)
	})
}

func TestListOfNamespaces(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	one, later := w.namespace("one"), w.away+"-later"
	rule := w.fanOut(source, fmt.Sprintf(`{namespaces: [%s, %s, $HOME]}`, one, later))

	w.exists(source, one, "settings", anything)
	w.counts(rule, 1, 2)
	assert.Equal(t, []v1.NamespaceFailure{
		{Namespace: later, Reason: v1.ReasonDestinationCreateFailed, Message: "the namespace does not exist; the copy follows when it does"},
		{Namespace: w.home, Reason: v1.ReasonDestinationConflict, Message: "the destination is the source itself; set spec.destination.name or choose another namespace"},
	}, rule.Status.Failures, "the namespaces are in their order")
	condition := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady)
	assert.Equal(t, v1.ReasonDestinationWriteFailed, condition.Reason, "the reasons differ")

	t.Run("a namespace that appears", func(t *testing.T) {
		w.create(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + later + `}}`)
		w.exists(source, later, "settings", anything)
		w.counts(rule, 2, 1)
		condition := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady)
		assert.Equal(t, v1.ReasonDestinationConflict, condition.Reason, "one reason is left")
	})
	t.Run("a list that shrinks", func(t *testing.T) {
		w.merge(rule, fmt.Sprintf(`{"spec":{"destination":{"namespaces":[%q]}}}`, later))
		w.gone(source, one, "settings")
		w.counts(rule, 1, 0)
		w.exists(source, later, "settings", anything)
	})
	t.Run("a list that becomes a selector", func(t *testing.T) {
		w.label(one, w.selected())
		w.merge(rule, fmt.Sprintf(`{"spec":{"destination":{"namespaces":null,"namespaceSelector":{"matchLabels":{"group":%q}}}}}`, w.home))
		w.exists(source, one, "settings", anything)
		w.gone(source, later, "settings")
	})
}

// A list that names a namespace which is being deleted is told so, as of one that does not exist.
func TestListedNamespaceThatIsBeingDeleted(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	good, ending := w.namespace("good"), w.namespace("ending")
	rule := w.fanOut(source, fmt.Sprintf(`{namespaces: [%s, %s]}`, good, ending))
	w.counts(rule, 2, 0)
	keeper := w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: keeper, namespace: ` + ending + `, finalizers: [example.com/keep]}}`)
	tells := func(message string) {
		t.Helper()
		told := w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationCreateFailed)
		assert.Equal(t, "1 of 2 failed: "+ending+"/settings: "+message, told.Message)
		w.counts(rule, 1, 1)
		assert.Equal(t, []v1.NamespaceFailure{{Namespace: ending, Reason: v1.ReasonDestinationCreateFailed, Message: message}}, rule.Status.Failures)
	}

	requests := w.requestsOn([]string{ending}, func() {
		w.delete(w.object(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + ending + `}}`))
		w.gone(source, ending, "settings")
		tells("the namespace is being deleted; the copy follows when it exists again")
		w.merge(source, `{"data":{"color":"blue"}}`)
		w.exists(source, good, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		w.settles()
	})
	assert.Empty(t, within(ending, requests), "what ends is not written to, and empties itself")

	w.merge(keeper, `{"metadata":{"finalizers":null}}`)
	require.Eventually(t, func() bool {
		require.NoError(t, w.client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
		return len(rule.Status.Failures) == 1 && strings.Contains(rule.Status.Failures[0].Message, "does not exist")
	}, soon, tick)
	tells("the namespace does not exist; the copy follows when it does")

	w.create(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + ending + `}}`)
	w.counts(rule, 2, 0)
	w.exists(source, ending, "settings", anything)
}

// A rule that lists a namespace which is being deleted can be deleted meanwhile.
func TestRuleThatListsANamespaceThatIsBeingDeletedIsDeleted(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	good, ending := w.namespace("good"), w.namespace("ending")
	rule := w.fanOut(source, fmt.Sprintf(`{namespaces: [%s, %s]}`, good, ending))
	w.counts(rule, 2, 0)
	w.endless(ending)
	w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationCreateFailed)

	w.delete(rule)
	w.ruleGone(rule)
	w.gone(source, good, "settings")
	w.gone(source, ending, "settings")
}

func TestSystemNamespacesAreNotSelectedButCanBeListed(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	rule := w.fanOut(source, `{namespaces: [kube-public], name: $AWAY}`)
	w.counts(rule, 1, 0)
	w.exists(source, metav1.NamespacePublic, w.away, anything)

	w.merge(rule, `{"spec":{"destination":{"namespaces":null,"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"kube-public"}}}}}`)
	w.gone(source, metav1.NamespacePublic, w.away)
	w.counts(rule, 0, 0)
	w.says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)
}

func TestTiersLeaveEachOthersCopiesAlone(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	tenant := w.project("settings", source)
	w.ready(tenant)

	rule := w.fanOut(source, `{namespaces: [$AWAY]}`)
	w.counts(rule, 0, 1)
	w.says(tenant, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)

	w.delete(tenant)
	w.counts(rule, 1, 0)
	copied := w.exists(source, w.away, "settings", anything)
	assert.NotContains(t, copied.GetAnnotations(), v1.AnnotationOwnedByProjection)
	assert.Equal(t, rule.Name, copied.GetAnnotations()[v1.AnnotationOwnedByClusterProjection])
}

func TestVetoOfAFanOut(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	one, two := w.member(w.selected()), w.member(w.selected())
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	w.counts(rule, 2, 0)

	w.merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(source, one, "settings")
	w.gone(source, two, "settings")
	w.counts(rule, 0, 0)
	w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceOptedOut)
}
