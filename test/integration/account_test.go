package integration_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// grant gives the service account of the namespace away permissions on ConfigMaps in a namespace, and returns when the API server knows them.
func (w *world) grant(account, namespace, verbs string) *rbacv1.RoleBinding {
	w.T.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: account + "-"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: strings.Fields(verbs)}},
	}
	require.NoError(w.T, w.Client.Create(w.T.Context(), role))
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: account + "-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.Away, Name: account}},
	}
	require.NoError(w.T, w.Client.Create(w.T.Context(), binding))
	for verb := range strings.FieldsSeq(verbs) {
		w.knows(account, true, authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Resource: "configmaps"})
	}
	return binding
}

// revoke takes a permission back, and returns when the API server knows it.
func (w *world) revoke(binding *rbacv1.RoleBinding, verb string) {
	w.T.Helper()
	w.Delete(binding)
	w.knows(binding.Subjects[0].Name, false, authorizationv1.ResourceAttributes{Namespace: binding.Namespace, Verb: verb, Resource: "configmaps"})
}

// knows waits until the API server allows the service account of the namespace away that, or forbids it.
func (w *world) knows(account string, allowed bool, what authorizationv1.ResourceAttributes) {
	w.T.Helper()
	require.Eventually(w.T, func() bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: w.user(account), ResourceAttributes: &what,
		}}
		return w.Client.Create(w.T.Context(), review) == nil && review.Status.Allowed == allowed
	}, env.Timeout, env.Interval)
}

func (w *world) user(account string) string { return env.ServiceAccountUser(w.Away, account) }

// asAccount sets the service account of a rule.
func asAccount(account string) func(*v1.Projection) {
	return func(rule *v1.Projection) { rule.Spec.ServiceAccountName = account }
}

// senders returns what each request does to what, and in whose name: + stands for the service account, - for the operator itself. Events
// are left out.
func (w *world) senders(requests []env.Request, account string) []string {
	var all []string
	for i, name := range names(requests) {
		if requests[i].Resource == "events" {
			continue
		}
		sender := map[string]string{"": "-", w.user(account): "+"}[requests[i].As]
		all = append(all, fmt.Sprintf("%s %s %d", cmp.Or(sender, requests[i].As), name, requests[i].Code))
	}
	return all
}

// TestContentIsReadAndWrittenInTheNameOfTheAccount reads the audit log of a rule from its creation to its end. The requests are as many as
// without a service account.
func TestContentIsReadAndWrittenInTheNameOfTheAccount(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Ready(w.Project("warm", source, func(rule *v1.Projection) { rule.Spec.Destination.Name = "warm" })) // the watches on the kind are open
	w.grant("promoter", w.Home, "get")
	w.grant("promoter", w.Away, "create patch")
	w.settles()
	phase := func(do func(), want ...string) {
		t.Helper()
		assert.ElementsMatch(t, want, w.senders(w.requestsOf(func() { do(); w.settles() }), "promoter"))
	}
	var rule *v1.Projection
	var copied *unstructured.Unstructured
	phase(func() {
		rule = w.Project("rule", source, asAccount("promoter"))
		w.Ready(rule)
	}, "- patch projections 200", "+ get configmaps 200", "+ patch configmaps 201", "- update projections/status 200")
	w.Delete(&v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: w.Away, Name: "warm"}})
	w.gone(source, w.Away, "warm")
	w.settles()

	phase(func() {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		copied = w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	}, "+ get configmaps 200", "+ patch configmaps 200")

	phase(func() {
		w.Merge(copied, `{"data":{"color":"green"}}`)
		w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	}, "+ get configmaps 200", "+ patch configmaps 200")

	phase(func() {
		w.Delete(copied)
		w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return o.GetUID() != copied.GetUID() })
	}, "+ get configmaps 200", "+ patch configmaps 201")

	phase(func() {
		w.Delete(rule)
		w.Gone(rule)
	}, "- list configmaps 200", "- delete configmaps 200", "- patch projections 200")
	w.gone(source, w.Away, "settings")
}

// TestAccountThatLosesItsRightsKeepsTheCopies also deletes them when the owner of the source opts out: that does not depend on the rights of
// the account.
func TestAccountThatLosesItsRightsKeepsTheCopies(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	reading := w.grant("promoter", w.Home, "get")
	w.grant("promoter", w.Away, "create patch")
	rule := w.Project("rule", source, asAccount("promoter"))
	w.Ready(rule)
	before := w.Exists(source, w.Away, "settings", fixture.Anything)
	w.revoke(reading, "get")
	w.settles()

	var refused metav1.Condition
	requests := w.requestsOf(func() {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		refused = w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceFetchFailed)
	})
	assert.Equal(t, fmt.Sprintf("the service account %[1]s:promoter cannot read ConfigMap %[2]s/settings; copies are kept; "+
		"grant it a role: kubectl -n %[2]s create role NAME --verb=get --resource=configmaps --resource-name=settings "+
		`(configmaps "settings" is forbidden: User "%[3]s" cannot get resource "configmaps" in API group "" in the namespace "%[2]s")`,
		w.Away, w.Home, w.user("promoter")), refused.Message)
	w.Says(rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonSourceFetchFailed)
	assert.Equal(t, []string{"+ get configmaps 403", "- get configmaps 200"}, w.senders(requests, "promoter")[:2])
	assert.Equal(t, before.GetResourceVersion(), w.Exists(source, w.Away, "settings", fixture.Anything).GetResourceVersion())

	w.grant("promoter", w.Home, "get")
	w.Merge(source, `{"data":{"color":"green"}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "green" })
	w.Ready(rule)
}

func TestOptOutHoldsWhateverTheAccountMayRead(t *testing.T) {
	for name, end := range map[string]func(*world, *unstructured.Unstructured){
		v1.ReasonSourceOptedOut: func(w *world, source *unstructured.Unstructured) {
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
		},
		v1.ReasonSourceNotProjectable: func(w *world, source *unstructured.Unstructured) {
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":null}}}`)
		},
		v1.ReasonSourceDeleted: func(w *world, source *unstructured.Unstructured) { w.Delete(source) },
		v1.ReasonSourceFetchFailed: func(w *world, source *unstructured.Unstructured) {
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: kubernetes.io/metadata.name=elsewhere"}}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Apply(configMap)
			reading := w.grant("promoter", w.Home, "get")
			w.grant("promoter", w.Away, "create patch")
			rule := w.Project("rule", source, asAccount("promoter"))
			w.Ready(rule)
			w.revoke(reading, "get")
			end(w, source)
			w.gone(source, w.Away, "settings")
			w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, name)
		})
	}
}

// TestAccountWithoutRightsLeavesTheRuleDeletable never reads, so the rule gets no finalizer.
func TestAccountWithoutRightsLeavesTheRuleDeletable(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("rule", source, asAccount("nobody"))
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceFetchFailed)
	assert.Empty(t, rule.Finalizers)
	w.Delete(rule)
	w.Gone(rule)
}

func TestChangeOfTheAccountWritesNoCopy(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	for _, account := range []string{"one", "another"} {
		w.grant(account, w.Home, "get")
		w.grant(account, w.Away, "create patch")
	}
	rule := w.Project("rule", source, asAccount("one"))
	w.Ready(rule)
	before := w.Exists(source, w.Away, "settings", fixture.Anything)
	for _, change := range []struct{ account, patch, reads string }{
		{"another", `{"spec":{"serviceAccountName":"another"}}`, "+ get configmaps 200"},
		{"", `{"spec":{"serviceAccountName":null}}`, "- get configmaps 200"},
		{"one", `{"spec":{"serviceAccountName":"one"}}`, "+ get configmaps 200"},
	} {
		w.settles()
		requests := w.requestsOf(func() {
			w.Merge(rule, change.patch)
			w.Ready(rule)
			w.settles()
		})
		assert.Equal(t, []string{change.reads, "- update projections/status 200"}, w.senders(requests, change.account), change.patch)
	}
	after := w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.Equal(t, before.GetResourceVersion(), after.GetResourceVersion())
	assert.Equal(t, before.GetManagedFields(), after.GetManagedFields())
}

// TestRuleEndsWithoutItsAccount deletes the service account with all of its rights before the rule.
func TestRuleEndsWithoutItsAccount(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	reading, writing := w.grant("promoter", w.Home, "get"), w.grant("promoter", w.Away, "create patch")
	rule := w.Project("rule", source, asAccount("promoter"))
	w.Ready(rule)
	w.revoke(reading, "get")
	w.revoke(writing, "patch")
	w.Delete(rule)
	w.Gone(rule)
	w.gone(source, w.Away, "settings")
}

// TestAccountThatMayNotWriteToOneTarget fails there and nowhere else.
func TestAccountThatMayNotWriteToOneTarget(t *testing.T) {
	w := newWorld(t)
	w.Apply(configMap)
	w.grant("fan", w.Home, "get")
	const label = "account-test"
	allowed, refused := w.Namespace("allowed", map[string]string{label: w.Away}), w.Namespace("refused", map[string]string{label: w.Away})
	w.grant("fan", allowed, "create patch")
	object := w.Object(fmt.Sprintf(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $AWAY}
spec:
  source: {kind: ConfigMap, namespace: $HOME, name: settings}
  destination: {namespaceSelector: {matchLabels: {%s: $AWAY}}}
  serviceAccount: {namespace: $AWAY, name: fan}
`, label))
	require.NoError(t, w.Client.Create(t.Context(), object))
	t.Cleanup(func() { w.Delete(object) })
	rule := &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: w.Away}}
	w.counts(rule, 1, 1)
	require.Len(t, rule.Status.Failures, 1)
	assert.Equal(t, v1.NamespaceFailure{
		Namespace: refused, Reason: v1.ReasonDestinationCreateFailed,
		Message: fmt.Sprintf("the copy cannot be created; grant %[2]s:fan a role: kubectl -n %[1]s create role NAME --verb=create,patch --resource=configmaps "+
			`(configmaps "settings" is forbidden: User "%[3]s" cannot patch resource "configmaps" in API group "" in the namespace "%[1]s")`,
			refused, w.Away, w.user("fan")),
	}, rule.Status.Failures[0])
}

// TestCopyIsRetainedInTheNameOfTheOperator reads the audit log of a hand-over. The service account may only get the source, create and patch.
func TestCopyIsRetainedInTheNameOfTheOperator(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.grant("promoter", w.Home, "get")
	w.grant("promoter", w.Away, "create patch")
	rule := w.Project("settings", source, asAccount("promoter"), retaining(v1.RetainRuleDeleted))
	w.Ready(rule)
	w.settles()
	requests := w.requestsOf(func() {
		w.Delete(rule)
		w.Gone(rule)
		w.settles()
	})
	w.Exists(source, w.Away, "settings", ordinary)
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	for _, request := range requests {
		assert.Empty(t, request.As, "%s", request)
	}
}
