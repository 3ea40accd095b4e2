package integration_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// notPermitted is what a rule says of a namespace without the label team=$HOME.
func (w *world) notPermitted() string {
	return "the owner of the source permits copies only in namespaces that match team=" + w.Home + "; ask the owner to permit this namespace, or an administrator to label it"
}

// permit lets the owner of the source permit the namespaces that the value names.
func (w *world) permit(source client.Object, value string) {
	w.T.Helper()
	w.Merge(source, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1.AnnotationProjectable, value))
}

// team is the label by which the owner permits a namespace, and selected one by which a rule selects it.
func (w *world) team() string { return fmt.Sprintf(`{"team":%q}`, w.Home) }

func (w *world) selectedTeam() string { return fmt.Sprintf(`{"team":%q,"group":%q}`, w.Home, w.Home) }

func TestOwnNamespaceGainsAndLosesThePermission(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.permit(source, "namespaces: team="+w.Home)
	rule := w.Project("settings", source)
	ready := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotPermitted)
	assert.Equal(t, "ConfigMap "+w.Away+"/settings: "+w.notPermitted(), ready.Message)
	w.Says(rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonDestinationNotPermitted)
	w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
	assert.Empty(t, rule.Status.DestinationName)

	w.label(w.Away, w.team())
	w.Ready(rule)
	copied := w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.Equal(t, v1.ProjectableFalse, copied.GetAnnotations()[v1.AnnotationProjectable], "nobody copies it further")
	w.settles()

	lost := w.requestsOf(func() {
		w.label(w.Away, `{"team":null}`)
		w.Gone(copied)
		ready = w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotPermitted)
	})
	assert.Equal(t, "ConfigMap "+w.Away+"/settings: "+w.notPermitted(), ready.Message)
	assert.Empty(t, rule.Status.DestinationName, "the last copy was deleted")
	assert.Equal(t, 1, count(lost, "get", "configmaps"), "%v", names(lost))
	assert.Equal(t, 1, count(lost, "delete", "configmaps"), "%v", names(lost))
	assert.Equal(t, 1, count(lost, "update", "projections"), "%v", names(lost))

	w.permit(source, "true")
	w.Ready(rule)
	w.Exists(source, w.Away, "settings", fixture.Anything)
	w.permit(source, "namespaces: kubernetes.io/metadata.name in (nobody, "+w.Home+")")
	w.gone(source, w.Away, "settings")
	w.permit(source, "namespaces: kubernetes.io/metadata.name="+w.Away)
	w.Ready(rule)
}

func TestListedNamespaceThatIsNotPermitted(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.permit(source, "namespaces: team="+w.Home)
	in, out := w.member(w.team()), w.Namespace("out", nil)
	rule := w.fanOut(source, fmt.Sprintf(`{namespaces: [%s, %s]}`, in, out))
	w.counts(rule, 1, 1)
	assert.Equal(t, []v1.NamespaceFailure{{Namespace: out, Reason: v1.ReasonDestinationNotPermitted, Message: w.notPermitted()}}, rule.Status.Failures)
	assert.Nil(t, rule.Status.NamespacesSkipped, "it is a failure")
	w.Says(rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonDestinationNotPermitted)
	w.gone(source, out, "settings")

	w.label(out, w.team())
	w.counts(rule, 2, 0)
	w.Exists(source, out, "settings", fixture.Anything)
	w.label(in, `{"team":"other"}`)
	w.gone(source, in, "settings")
	w.counts(rule, 1, 1)
}

func TestSelectedNamespacesThatAreNotPermittedAreSkipped(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.permit(source, "namespaces: team="+w.Home)
	first := w.member(w.selectedTeam())
	w.member(w.selected())
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	skips := func(written, skipped int32, says string) {
		t.Helper()
		w.Eventually(rule, func() bool {
			require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
			status := rule.Status
			return status.NamespacesWritten != nil && *status.NamespacesWritten == written && *status.NamespacesTargeted == written &&
				(skipped == 0 && status.NamespacesSkipped == nil || status.NamespacesSkipped != nil && *status.NamespacesSkipped == skipped)
		}, "%d are to be written, and %d skipped", written, skipped)
		resolved := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionSourceResolved)
		assert.Equal(t, "found ConfigMap "+w.Home+"/settings in preferred version v1; it may be copied"+says, resolved.Message)
		assert.Nil(t, meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionStalled), "nobody has to act")
	}
	skips(1, 1, "; its owner permits copies in 1 of the 2 selected namespaces")
	w.Ready(rule)

	second := w.member(w.selected())
	skips(1, 2, "; its owner permits copies in 1 of the 3 selected namespaces")
	w.gone(source, second, "settings")
	w.label(second, w.team())
	skips(2, 1, "; its owner permits copies in 2 of the 3 selected namespaces")
	w.Exists(source, second, "settings", fixture.Anything)
	w.label(first, `{"team":null}`)
	w.gone(source, first, "settings")
	skips(1, 2, "; its owner permits copies in 1 of the 3 selected namespaces")

	w.permit(source, "namespaces: team=nobody")
	w.gone(source, second, "settings")
	skips(0, 3, "; its owner permits copies in none of the 3 selected namespaces")
	ready := w.Says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonNoMatchingNamespaces)
	assert.Equal(t, "the owner of the source permits a copy in none of the selected namespaces", ready.Message)
	w.permit(source, "true")
	skips(3, 0, "")
}

// TestLabelsOfNamespacesEnqueueTheRulesThatDependOnThem changes labels while rules are in sync of which one alone depends on them.
func TestLabelsOfNamespacesEnqueueTheRulesThatDependOnThem(t *testing.T) {
	w := newWorld(t)
	const another = `{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}}`
	limited, wide, free := w.Apply(configMap), w.Create(fmt.Sprintf(another, "wide")), w.Create(fmt.Sprintf(another, "free"))
	w.permit(limited, "namespaces: team="+w.Home)
	w.permit(wide, "namespaces: team="+w.Home)
	w.label(w.Away, w.team())
	rules := []client.Object{w.Project("settings", limited), w.Project("free", free)}
	cluster := w.fanOut(wide, `{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	member := w.member(w.selectedTeam())
	w.counts(cluster, 1, 0)
	for _, rule := range rules {
		w.Ready(rule)
	}
	quiet := func() {
		for busy := true; busy; {
			busy = len(w.requestsOn([]string{w.Away, member}, w.settles)) > 0
		}
	}
	quiet()
	for _, labels := range []string{`{"other":"1"}`, `{"other":"2"}`, `{"other":null}`} {
		none := w.requestsOn([]string{w.Away, member}, func() {
			w.label(w.Away, labels)
			w.label(member, labels)
			quiet()
		})
		assert.Empty(t, names(none), "no permission depends on that label")
	}
	lost := w.requestsOn([]string{w.Away, member}, func() {
		w.label(w.Away, `{"team":null}`)
		w.gone(limited, w.Away, "settings")
		quiet()
	})
	assert.Equal(t, 1, count(lost, "get", "configmaps"), "only the rule whose source names the label is reconciled, once: %v", names(lost))
	lost = w.requestsOn([]string{w.Away, member}, func() {
		w.label(member, `{"team":null}`)
		w.gone(wide, member, "wide")
		quiet()
	})
	assert.Equal(t, 1, count(lost, "get", "configmaps"), "%v", names(lost))
	assert.Equal(t, 1, count(lost, "delete", "configmaps"), "%v", names(lost))
	assert.Equal(t, 1, count(lost, "update", "clusterprojections"), "%v", names(lost))
}

func TestMalformedSelectorPermitsNothing(t *testing.T) {
	for name, test := range map[string]struct{ selector, cause string }{
		"empty value": {"team=", "(the label team is compared with an empty value)"}, "operator": {"team==shop=", "(found '=', expected"}, "empty": {"", "(the selector is empty)"}, "value": {"team=-shop", "must be"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Apply(configMap)
			rule := w.Project("settings", source)
			w.Ready(rule)
			w.permit(source, "namespaces: "+test.selector)
			w.gone(source, w.Away, "settings")
			ready := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
			assert.Contains(t, ready.Message, "the annotation projection.sh/projectable of ConfigMap "+w.Home+"/settings has no valid label selector after "+
				`"namespaces:"; 1 copy was removed; its owner has to correct it`)
			assert.Contains(t, ready.Message, test.cause)
			w.Says(rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonSourceNotProjectable)
		})
	}
}

// TestPermissionIsLostWhateverElseHolds takes the label off a namespace whose copy would stay because something else is wrong.
func TestPermissionIsLostWhateverElseHolds(t *testing.T) {
	tests := map[string]struct{ edit, reason string }{
		"a foreign object has the new name": {`{"spec":{"destination":{"name":"other"}}}`, v1.ReasonDestinationConflict},
		"the rule is invalid":               {`{"spec":{"content":{"fields":{"exclude":["data.x"]}}}}`, v1.ReasonRuleInvalid},
		"the source lacks a key":            {`{"spec":{"content":{"data":{"include":["missing"]}}}}`, v1.ReasonSourceIncomplete},
		"no copy can be made":               {`{"spec":{"content":{"data":{"rename":[{"from":"color","to":"size"}]}}}}`, v1.ReasonRenderFailed},
		"the record of kinds is gone": {
			`{"metadata":{"annotations":{"projection.sh/written-kinds":null}},"spec":{"content":{"fields":{"exclude":["data.x"]}}}}`, v1.ReasonRuleInvalid,
		},
		"a foreign object of another kind": {`{"spec":{"destination":{"name":"other","kind":"Secret"}}}`, v1.ReasonDestinationConflict},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: $AWAY}}`)
			w.Create(`{apiVersion: v1, kind: Secret, metadata: {name: other, namespace: $AWAY}}`)
			source := w.Apply(configMap)
			w.permit(source, "namespaces: team="+w.Home)
			w.label(w.Away, w.team())
			rule := w.Project("settings", source)
			w.Ready(rule)
			w.Merge(rule, test.edit)
			w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, test.reason)
			w.settles()
			w.Exists(source, w.Away, "settings", fixture.Anything)

			w.label(w.Away, `{"team":null}`)
			w.gone(source, w.Away, "settings")
		})
	}
}

// TestPermissionIsLostWhereARuleWantsNoCopyAnyMore edits the list of a rule that lacks a key since then, and keeps its copies for that reason.
func TestPermissionIsLostWhereARuleWantsNoCopyAnyMore(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.permit(source, "namespaces: team="+w.Home)
	in, other := w.member(w.team()), w.member(w.team())
	rule := w.fanOut(source, fmt.Sprintf(`{namespaces: [%s]}`, in))
	w.counts(rule, 1, 0)
	w.Merge(rule, fmt.Sprintf(`{"spec":{"destination":{"namespaces":[%q]},"content":{"data":{"include":["missing"]}}}}`, other))
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceIncomplete)
	w.settles()
	w.Exists(source, in, "settings", fixture.Anything)

	w.label(in, `{"team":null}`)
	w.gone(source, in, "settings")
}

// TestPermissionIsAskedBesidesPublicKeys copies a key of a Secret as a ConfigMap into a namespace that is permitted, and then is not.
func TestPermissionIsAskedBesidesPublicKeys(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(certificate)
	w.permit(source, "namespaces: team="+w.Home)
	rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt"))
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotPermitted)
	w.label(w.Away, w.team())
	w.Ready(rule)
	w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", fixture.Anything)
	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/public-keys":"image"}}}`)
	w.gone(ofKind("ConfigMap"), w.Away, "root-ca")
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/public-keys":"ca.crt"}}}`)
	w.Ready(rule)
	w.label(w.Away, `{"team":null}`)
	w.gone(ofKind("ConfigMap"), w.Away, "root-ca")
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotPermitted)
}

// TestCopyWithoutItsLabelIsFoundWhenThePermissionIsLost has somebody hide a copy from the watch on copies.
func TestCopyWithoutItsLabelIsFoundWhenThePermissionIsLost(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.permit(source, "namespaces: team="+w.Home)
	w.label(w.Away, w.team())
	rule := w.Project("settings", source)
	w.Ready(rule)
	for range 4 { // the fourth repair is delayed
		labelled := func(o *unstructured.Unstructured) bool { return o.GetLabels()[v1.LabelOwnedByProjectionUID] != "" }
		w.Merge(w.Exists(source, w.Away, "settings", labelled), fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, v1.LabelOwnedByProjectionUID))
	}
	w.label(w.Away, `{"team":null}`)
	w.gone(source, w.Away, "settings")
}
