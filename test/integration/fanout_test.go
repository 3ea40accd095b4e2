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
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// fanOut creates a ClusterProjection of the source, named after the namespace that tests copy to. The destination is a
// manifest; $LABEL stands for a label value that only this test uses.
func (w *world) fanOut(source *unstructured.Unstructured, destination string) *v1.ClusterProjection {
	w.T.Helper()
	gvk := source.GroupVersionKind()
	object := w.Object(fmt.Sprintf(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $AWAY}
spec:
  source: {group: %q, kind: %s, namespace: %s, name: %s}
  destination: %s
`, gvk.Group, gvk.Kind, source.GetNamespace(), source.GetName(), destination))
	require.NoError(w.T, w.Client.Create(w.T.Context(), object))
	w.T.Cleanup(func() { w.Delete(object) })
	return &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: w.Away}}
}

// counts waits until the rule reports so many copies written and failed.
func (w *world) counts(rule *v1.ClusterProjection, written, failed int32) {
	w.T.Helper()
	if !assert.Eventually(w.T, func() bool {
		if err := w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule); err != nil {
			return false
		}
		s := rule.Status
		return s.ObservedGeneration == rule.Generation && s.NamespacesWritten != nil && *s.NamespacesWritten == written && *s.NamespacesFailed == failed
	}, env.Timeout, env.Interval) {
		require.FailNowf(w.T, "the counts are wrong", "%d and %d are to be counted; the status counts %d and %d for generation %d of %d, and is %+v", written, failed,
			ptr.Deref(rule.Status.NamespacesWritten, -1), ptr.Deref(rule.Status.NamespacesFailed, -1), rule.Status.ObservedGeneration, rule.Generation, rule.Status)
	}
}

func (w *world) member(labels string) string {
	w.T.Helper()
	name := w.Namespace("member", nil)
	w.label(name, labels)
	return name
}

func (w *world) label(namespace, labels string) {
	w.T.Helper()
	w.Merge(w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: `+namespace+`}}`), `{"metadata":{"labels":`+labels+`}}`)
}

// selected is the label that only this test's namespaces have.
func (w *world) selected() string { return fmt.Sprintf(`{"group":%q}`, w.Home) }

func TestSelectorFollowsNamespaces(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	one := w.member(w.selected())
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	w.counts(rule, 1, 0)
	w.Exists(source, one, "settings", fixture.Anything)

	t.Run("a new namespace", func(t *testing.T) {
		two := w.member(w.selected())
		w.Exists(source, two, "settings", fixture.Anything)
		w.counts(rule, 2, 0)
	})
	t.Run("a lost label", func(t *testing.T) {
		w.label(one, `{"group":null}`)
		w.gone(source, one, "settings")
		w.counts(rule, 1, 0)
	})
	t.Run("a label that comes back", func(t *testing.T) {
		w.label(one, w.selected())
		w.Exists(source, one, "settings", fixture.Anything)
		w.counts(rule, 2, 0)
	})
	t.Run("an edit", func(t *testing.T) {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.Exists(source, one, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	})
	t.Run("a deleted namespace", func(t *testing.T) {
		w.Delete(w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + one + `}}`))
		w.counts(rule, 1, 0)
	})
	t.Run("the source's own namespace", func(t *testing.T) {
		w.label(w.Home, w.selected())
		w.settles()
		w.counts(rule, 1, 0)
	})
	t.Run("a deleted rule", func(t *testing.T) {
		w.Delete(rule)
		w.Gone(rule)
		var left unstructured.UnstructuredList
		left.SetGroupVersionKind(source.GroupVersionKind())
		require.Eventually(t, func() bool {
			require.NoError(t, w.Client.List(t.Context(), &left, client.MatchingLabels{v1.LabelOwnedByClusterProjectionUID: string(rule.UID)}))
			return len(left.Items) == 0
		}, env.Timeout, env.Interval)
		w.Exists(source, w.Home, "settings", fixture.Anything)
	})
}

func TestListOfNamespaces(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	one, later := w.Namespace("one", nil), w.Away+"-later"
	rule := w.fanOut(source, fmt.Sprintf(`{namespaces: [%s, %s, $HOME]}`, one, later))

	w.Exists(source, one, "settings", fixture.Anything)
	w.counts(rule, 1, 2)
	assert.Equal(t, []v1.NamespaceFailure{
		{Namespace: later, Reason: v1.ReasonDestinationCreateFailed, Message: "the namespace does not exist; the copy follows when it does"},
		{Namespace: w.Home, Reason: v1.ReasonDestinationConflict, Message: "the destination is the source itself; set spec.destination.name or choose another namespace"},
	}, rule.Status.Failures, "the namespaces are in their order")
	condition := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady)
	assert.Equal(t, v1.ReasonDestinationWriteFailed, condition.Reason, "the reasons differ")

	t.Run("a namespace that appears", func(t *testing.T) {
		w.Create(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + later + `}}`)
		w.Exists(source, later, "settings", fixture.Anything)
		w.counts(rule, 2, 1)
		condition := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady)
		assert.Equal(t, v1.ReasonDestinationConflict, condition.Reason, "one reason is left")
	})
	t.Run("a list that shrinks", func(t *testing.T) {
		w.Merge(rule, fmt.Sprintf(`{"spec":{"destination":{"namespaces":[%q]}}}`, later))
		w.gone(source, one, "settings")
		w.counts(rule, 1, 0)
		w.Exists(source, later, "settings", fixture.Anything)
	})
	t.Run("a list that becomes a selector", func(t *testing.T) {
		w.label(one, w.selected())
		w.Merge(rule, fmt.Sprintf(`{"spec":{"destination":{"namespaces":null,"namespaceSelector":{"matchLabels":{"group":%q}}}}}`, w.Home))
		w.Exists(source, one, "settings", fixture.Anything)
		w.gone(source, later, "settings")
	})
}

// A list that names a namespace which is being deleted is told so, as of one that does not exist.
func TestListedNamespaceThatIsBeingDeleted(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	good, ending := w.Namespace("good", nil), w.Namespace("ending", nil)
	rule := w.fanOut(source, fmt.Sprintf(`{namespaces: [%s, %s]}`, good, ending))
	w.counts(rule, 2, 0)
	keeper := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: keeper, namespace: ` + ending + `, finalizers: [example.com/keep]}}`)
	tells := func(message string) {
		t.Helper()
		told := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationCreateFailed)
		assert.Equal(t, "1 of 2 copies failed: ConfigMap "+ending+"/settings: "+message, told.Message)
		w.counts(rule, 1, 1)
		assert.Equal(t, []v1.NamespaceFailure{{Namespace: ending, Reason: v1.ReasonDestinationCreateFailed, Message: message}}, rule.Status.Failures)
	}

	requests := w.requestsOn([]string{ending}, func() {
		w.Delete(w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + ending + `}}`))
		w.gone(source, ending, "settings")
		tells("the namespace is being deleted; the copy follows when it exists again")
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.Exists(source, good, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		w.settles()
	})
	assert.Empty(t, within(ending, requests), "what ends is not written to, and empties itself")

	w.Merge(keeper, `{"metadata":{"finalizers":null}}`)
	require.Eventually(t, func() bool {
		require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
		return len(rule.Status.Failures) == 1 && strings.Contains(rule.Status.Failures[0].Message, "does not exist")
	}, env.Timeout, env.Interval)
	tells("the namespace does not exist; the copy follows when it does")

	w.Create(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + ending + `}}`)
	w.counts(rule, 2, 0)
	w.Exists(source, ending, "settings", fixture.Anything)
}

// A rule that lists a namespace which is being deleted can be deleted meanwhile.
func TestRuleThatListsANamespaceThatIsBeingDeletedIsDeleted(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	good, ending := w.Namespace("good", nil), w.Namespace("ending", nil)
	rule := w.fanOut(source, fmt.Sprintf(`{namespaces: [%s, %s]}`, good, ending))
	w.counts(rule, 2, 0)
	w.endless(ending)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationCreateFailed)

	w.Delete(rule)
	w.Gone(rule)
	w.gone(source, good, "settings")
	w.gone(source, ending, "settings")
}

func TestSystemNamespacesAreNotSelectedButCanBeListed(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.fanOut(source, `{namespaces: [kube-public], name: $AWAY}`)
	w.counts(rule, 1, 0)
	w.Exists(source, metav1.NamespacePublic, w.Away, fixture.Anything)

	w.Merge(rule, `{"spec":{"destination":{"namespaces":null,"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"kube-public"}}}}}`)
	w.gone(source, metav1.NamespacePublic, w.Away)
	w.counts(rule, 0, 0)
	w.Says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonNoMatchingNamespaces)
}

func TestTiersLeaveEachOthersCopiesAlone(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	tenant := w.Project("settings", source)
	w.Ready(tenant)

	rule := w.fanOut(source, `{namespaces: [$AWAY]}`)
	w.counts(rule, 0, 1)
	w.Says(tenant, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)

	w.Delete(tenant)
	w.counts(rule, 1, 0)
	copied := w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.NotContains(t, copied.GetAnnotations(), v1.AnnotationOwnedByProjection)
	assert.Equal(t, rule.Name, copied.GetAnnotations()[v1.AnnotationOwnedByClusterProjection])
}

func TestVetoOfAFanOut(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	one, two := w.member(w.selected()), w.member(w.selected())
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	w.counts(rule, 2, 0)

	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(source, one, "settings")
	w.gone(source, two, "settings")
	w.counts(rule, 0, 0)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceOptedOut)
}
