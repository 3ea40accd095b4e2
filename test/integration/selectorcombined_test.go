package integration_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// selectingAs creates a Projection that copies what is shared.
func (w *world) selectingAs(adapt ...func(*v1.Projection)) *v1.Projection {
	w.T.Helper()
	return w.Project("rule", w.Object(configMap), append(adapt, func(rule *v1.Projection) {
		rule.Spec.Source.Name = ""
		rule.Spec.Source.Selector = &v1.SourceSelector{MatchLabels: map[string]v1.LabelValue{"share": "yes"}}
	})...)
}

// states waits until the condition of the rule has the message.
func (w *world) states(rule *v1.Projection, conditionType, message string) {
	w.T.Helper()
	w.Eventually(rule, func() bool {
		if w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule) != nil {
			return false
		}
		found := meta.FindStatusCondition(rule.Status.Conditions, conditionType)
		return found != nil && found.Message == message
	}, "the condition %s does not say %q", conditionType, message)
}

// grantNamed gives the service account "reader" the permission to read these sources.
func (w *world) grantNamed(names ...string) client.Object {
	w.T.Helper()
	const account = "reader"
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Home, GenerateName: account + "-"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: names, Verbs: []string{"get"}}},
	}
	require.NoError(w.T, w.Client.Create(w.T.Context(), role))
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Home, GenerateName: account + "-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.Away, Name: account}},
	}
	require.NoError(w.T, w.Client.Create(w.T.Context(), binding))
	for _, name := range names {
		w.knows(account, true, authorizationv1.ResourceAttributes{Namespace: w.Home, Verb: "get", Resource: "configmaps", Name: name})
	}
	return binding
}

// A service account may read some of the sources. The copies of the others stay as they are, and those of the readable ones follow.
func TestAccountThatMayReadSomeSources(t *testing.T) {
	w := newWorld(t)
	a, b := w.shares("a"), w.shares("b")
	w.grant("reader", w.Away, "create patch")
	w.grantNamed("a")
	binding := w.grantNamed("b")
	rule := w.selectingAs(asAccount("reader"))
	w.Ready(rule)
	w.Exists(a, w.Away, "b", fixture.Anything)

	w.Delete(binding)
	w.knows("reader", false, authorizationv1.ResourceAttributes{Namespace: w.Home, Verb: "get", Resource: "configmaps", Name: "b"})
	w.Merge(a, `{"data":{"color":"blue"}}`)
	w.Merge(b, `{"data":{"color":"blue"}}`)
	w.Exists(a, w.Away, "a", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	resolved := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceFetchFailed)
	assert.Contains(t, resolved.Message, "cannot read ConfigMap "+w.Home+"/b; its copies are kept, and those of other sources are written; grant it a role")
	assert.Equal(t, "red", data(w.Exists(a, w.Away, "b", fixture.Anything), "color"))

	w.Merge(b, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(a, w.Away, "b")
	w.Ready(rule)
	w.Exists(a, w.Away, "a", fixture.Anything)
}

// A rule copies 500 sources, and not one more. What it has copied stays, unless its owner opts out.
func TestRuleCopiesAtMost500Sources(t *testing.T) {
	w := newWorld(t)
	for i := range v1.MaxSources {
		w.shares(fmt.Sprintf("s-%03d", i))
	}
	first := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: s-000, namespace: $HOME}}`)
	rule := w.selectingAs()
	for copies := 100; copies <= v1.MaxSources; copies += 100 {
		w.copiesReach(copies, assert.GreaterOrEqual)
	}
	w.Ready(rule)
	written := w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionTrue, v1.ReasonProjected)
	assert.Equal(t, "all 500 copies are in sync with their source", written.Message)
	w.settles()

	requests := w.requestsOf(func() {
		w.Merge(first, `{"data":{"color":"blue"}}`)
		w.Exists(first, w.Away, "s-000", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		w.settles()
	})
	assert.Equal(t, 1, count(requests, "patch", "configmaps"))
	assert.Equal(t, 10, count(requests, "list", "configmaps"), "ten pages of 50")

	more := w.shares("more")
	invalid := w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonRuleInvalid)
	assert.Equal(t, "source.selector matches 501 objects; a rule copies at most 500; copies are kept; select fewer, or write several rules", invalid.Message)
	w.Merge(first, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(first, w.Away, "s-000")
	w.Exists(first, w.Away, "s-499", fixture.Anything)
	_, err := w.Get(first, w.Away, "more")
	require.Error(t, err)
	w.Delete(more)
	w.Ready(rule)
	w.Delete(rule)
	for copies := v1.MaxSources - 100; copies >= 0; copies -= 100 {
		w.copiesReach(copies, assert.LessOrEqual)
	}
	w.Gone(rule)
	w.gone(first, w.Away, "s-499")
}

// copiesReach waits until there are as many copies as that, or more or fewer. Hundreds of them take long on a busy machine.
func (w *world) copiesReach(number int, compare assert.ComparisonAssertionFunc) {
	w.T.Helper()
	require.EventuallyWithT(w.T, func(t *assert.CollectT) {
		copies := &metav1.PartialObjectMetadataList{}
		copies.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
		require.NoError(t, w.Client.List(w.T.Context(), copies, client.InNamespace(w.Away), client.HasLabels{v1.LabelOwnedByProjectionUID}))
		compare(t, len(copies.Items), number)
	}, env.Timeout, env.Interval)
}

// Copies of sources that do not exist any more, or are not selected any more, are retained each for itself.
func TestCopiesOfSelectedSourcesAreRetained(t *testing.T) {
	w := newWorld(t)
	a, b, c := w.shares("a"), w.shares("b"), w.shares("c")
	rule := w.selectingAs(retaining(v1.RetainSourceGone, v1.RetainRuleDeleted))
	w.Ready(rule)

	w.Delete(a)
	w.states(rule, v1.ConditionSourceResolved, "source.selector matches 2 ConfigMap objects in "+w.Home+
		"; they may be copied; copies of sources that do not exist any more, or are not selected, are kept, as spec.policy.retain asks")
	w.Exists(a, w.Away, "a", fixture.Anything)
	w.Merge(b, `{"metadata":{"labels":null}}`)
	w.settles()
	w.Exists(a, w.Away, "b", fixture.Anything)

	w.Merge(b, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(a, w.Away, "b")
	w.Merge(c, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(a, w.Away, "c")
	w.Exists(a, w.Away, "a", fixture.Anything)

	d := w.shares("d")
	w.Exists(a, w.Away, "d", fixture.Anything)
	w.Ready(rule)
	w.Delete(rule)
	w.Gone(rule)
	w.Exists(d, w.Away, "a", func(o *unstructured.Unstructured) bool { return o.GetLabels()[v1.LabelOwnedByProjectionUID] == "" })
	w.Exists(d, w.Away, "d", func(o *unstructured.Unstructured) bool { return o.GetLabels()[v1.LabelOwnedByProjectionUID] == "" })
}

// A suspended rule counts the copies of all sources.
func TestSuspendedRuleThatSelectsItsSources(t *testing.T) {
	w := newWorld(t)
	a, b := w.shares("a"), w.shares("b")
	w.shares("c")
	rule := w.selectingAs()
	w.Ready(rule)
	w.Merge(rule, `{"spec":{"suspend":true}}`)
	w.settles()
	w.Merge(a, `{"data":{"color":"blue"}}`)
	w.Merge(b, `{"metadata":{"labels":null}}`)
	w.shares("d")
	w.states(rule, v1.ConditionDestinationWritten, "suspended: would create 1, update 1, delete 1; 1 is in sync")
	w.Merge(rule, `{"spec":{"suspend":null}}`)
	w.Ready(rule)
	w.gone(a, w.Away, "b")
	w.Exists(a, w.Away, "d", fixture.Anything)
}

// In a rollout, all copies in a namespace are changed together.
func TestRolloutOfSelectedSources(t *testing.T) {
	w := newWorld(t)
	other := w.member(w.selected())
	canary := w.member(fmt.Sprintf(`{"group":%q,"canary":"yes"}`, w.Home))
	a, b := w.shares("a"), w.shares("b")
	rule := w.selecting(`{namespaceSelector: {matchLabels: {group: $HOME}}}`,
		`rollout: {waves: [{namespaceSelector: {matchLabels: {canary: "yes"}}}]}`)
	w.Ready(rule)
	w.counts(rule, 2, 0)
	w.Merge(rule, bakes)
	w.settles()

	is := func(namespace, name, color string) {
		t.Helper()
		w.Exists(a, namespace, name, func(o *unstructured.Unstructured) bool { return data(o, "color") == color })
	}
	w.Merge(a, `{"data":{"color":"blue"}}`)
	is(canary, "a", "blue")
	w.Merge(b, `{"data":{"color":"blue"}}`)
	is(canary, "b", "blue")
	w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonRolloutInProgress)
	w.settles()
	is(other, "a", "red")
	is(other, "b", "red")
	require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
	assert.Equal(t, int32(1), *rule.Status.NamespacesHeld, "namespaces, and not copies")
	w.Merge(rule, passes)
	is(other, "a", "blue")
	is(other, "b", "blue")
	w.Ready(rule)
}

// A copy of one source is retained, and the rule goes on following the other.
func TestOtherSourcesAreFollowedAfterACopyWasRetained(t *testing.T) {
	w := newWorld(t)
	leaving, staying := w.member(w.selected()), w.member(w.selected())
	a, b := w.shares("a"), w.shares("b")
	rule := w.selecting(`{namespaceSelector: {matchLabels: {group: $HOME}}}`, `policy: {retain: [TargetDropped]}`)
	w.copiesOf(leaving, "a", "b")
	w.Ready(rule)
	w.label(leaving, `{"group":null}`)
	w.copiesOf(leaving)
	w.Exists(a, leaving, "a", func(o *unstructured.Unstructured) bool {
		return o.GetLabels()[v1.LabelOwnedByClusterProjectionUID] == ""
	})
	w.settles()
	w.Merge(b, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.copiesOf(staying, "a")
	w.Merge(a, `{"data":{"color":"blue"}}`)
	w.Exists(a, staying, "a", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	w.shares("c")
	w.copiesOf(staying, "a", "c")
}
