package hostile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// grants gives a service account of the namespace away permissions in a namespace. It need not exist.
func (w *world) grants(account, namespace string, rules ...rbacv1.PolicyRule) {
	w.T.Helper()
	rules = append(rules, right(v1.Domain, "projections", "own")) // under the policy, which other tests install
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: account + "-"}, Rules: rules}
	require.NoError(w.T, w.Client.Create(w.T.Context(), role))
	require.NoError(w.T, w.Client.Create(w.T.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: account + "-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.Away, Name: account}},
	}))
}

// as has the rule use the service account.
func as(account string) func(*v1.Projection) {
	return func(rule *v1.Projection) { rule.Spec.ServiceAccountName = account }
}

// impersonating is the right that the operator is installed with.
func impersonating(names ...string) rbacv1.PolicyRule {
	rule := right("", "serviceaccounts", "impersonate")
	rule.ResourceNames = names
	return rule
}

const reading = "get list watch"

// TestAccountGivesNoRightsThatItLacks copies roles and bindings in the name of an account: the rights of the operator, which has all, do not
// count.
func TestAccountGivesNoRightsThatItLacks(t *testing.T) {
	rbac := right(rbacv1.GroupName, "roles rolebindings", "get create patch")
	all := []rbacv1.PolicyRule{right("*", "*", "*"), impersonating("projection-writer")}
	tests := map[string]struct {
		source  string
		rights  []rbacv1.PolicyRule
		refusal string // empty: it is copied
	}{
		"a role of everything":           {role, []rbacv1.PolicyRule{rbac}, "attempting to grant RBAC permissions not currently held"},
		"a role of rights that it has":   {role, []rbacv1.PolicyRule{rbac, right("", "secrets", "*")}, ""},
		"a binding to the admin":         {binding, []rbacv1.PolicyRule{rbac}, "attempting to grant RBAC permissions not currently held"},
		"a binding, with the right bind": {binding, []rbacv1.PolicyRule{rbac, right(rbacv1.GroupName, "clusterroles", "bind")}, ""},
		"without the right to write":     {role, nil, `cannot patch resource "roles"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.operatorWith(nil, all...)
			source := w.Create(test.source)
			w.grants("projection-writer", w.Home, right(rbacv1.GroupName, "roles rolebindings", "get"))
			if len(test.rights) > 0 {
				w.grants("projection-writer", w.Away, test.rights...)
			}
			rule := w.project(source, w.served, as("projection-writer"))
			if test.refusal == "" {
				w.Ready(rule)
				return
			}
			assert.Contains(t, w.says(rule, v1.ReasonDestinationCreateFailed), test.refusal)
			assert.Nil(t, w.read(source, w.Away, "powers"))
		})
	}
}

// TestAccountReadsNoSecretThatItMayNotRead has a tenant name an account of his own. The owner consents to copies, and the operator may read
// everything.
func TestAccountReadsNoSecretThatItMayNotRead(t *testing.T) {
	c := newSecretWorld(t)
	c.grants("promoter", c.Away, right("", "secrets", "create patch"))
	source := c.secret("type: Opaque")
	rule := c.project(source, as("promoter"))
	message := c.says(rule, v1.ReasonSourceFetchFailed)
	assert.Contains(t, message, `secrets "token" is forbidden: User "`+env.ServiceAccountUser(c.Away, "promoter")+`" cannot get resource "secrets"`)
	c.settles()
	assert.Nil(t, c.read(source, c.Away, "token"))
	c.requireSilence()

	c.grants("promoter", c.Home, right("", "secrets", "get"))
	c.Ready(rule)
	c.requireSilence()
}

// TestWhatOneAccountHasReadIsNotGivenToAnother has two rules copy one source at a time, so that they would share its content.
func TestWhatOneAccountHasReadIsNotGivenToAnother(t *testing.T) {
	c := newSecretWorld(t)
	source := c.secret("type: Opaque")
	for _, account := range []string{"one", "another"} {
		c.grants(account, c.Away, right("", "secrets", "create patch"))
	}
	c.grants("one", c.Home, right("", "secrets", "get"))
	may := c.project(source, as("one"), named("may"))
	own := c.project(source, named("own"))
	mayNot := c.project(source, as("another"), named("may-not"))
	for _, value := range []string{"MQ==", "Mg==", "Mw=="} {
		c.Merge(source, `{"data":{"version":"`+value+`"}}`)
		for _, name := range []string{"may", "own"} {
			c.Exists(source, c.Away, name, func(o *unstructured.Unstructured) bool { return entry(o, "version") == value })
		}
	}
	c.Ready(may)
	c.Ready(own)
	c.says(mayNot, v1.ReasonSourceFetchFailed)
	assert.Nil(t, c.read(source, c.Away, "may-not"))
	c.requireSilence()
}

func named(name string) func(*v1.Projection) {
	return func(rule *v1.Projection) { rule.Spec.Destination.Name = name }
}

// TestOperatorWithoutRightsOfItsOwn may watch, and impersonate accounts of one name. A copy is created, updated, healed and deleted, and the
// rule ends, by the rights of the account.
func TestOperatorWithoutRightsOfItsOwn(t *testing.T) {
	w := newWorld(t)
	w.operatorWith(nil, right("", "configmaps", reading), impersonating("projection-writer"))
	w.grants("projection-writer", w.Home, right("", "configmaps", "get"))
	w.grants("projection-writer", w.Away, right("", "configmaps", "create patch delete"))
	source := w.Create(configMap)
	rule := w.project(source, w.served, as("projection-writer"))
	w.Ready(rule)
	w.Merge(source, `{"data":{"color":"blue"}}`)
	copied := w.becomes(source, func(o *unstructured.Unstructured) bool { return entry(o, "color") == "blue" })
	w.Delete(copied)
	w.becomes(source, func(o *unstructured.Unstructured) bool { return o.GetUID() != copied.GetUID() })

	without := w.project(source, w.served, named("without"))
	assert.Contains(t, w.says(without, v1.ReasonDestinationCreateFailed), `cannot patch resource "configmaps"`)
	another := w.project(source, w.served, as("another"), named("another"))
	assert.Contains(t, w.says(another, v1.ReasonSourceFetchFailed), "the operator may not impersonate the service account "+
		w.Away+":another; there are no copies; add another to the chart's impersonation.serviceAccounts, or grant the operator impersonate on it (")

	w.Delete(rule)
	w.Gone(rule)
	assert.Nil(t, w.read(source, w.Away, "settings"))
}

// TestRulesWithoutAnAccountAreNotServedIfTheyNeedOne keeps the copies, unless the owner of the source opts out. The operator reads no content.
func TestRulesWithoutAnAccountAreNotServedIfTheyNeedOne(t *testing.T) {
	w := newWorld(t)
	w.operatorWith(nil, right("", "configmaps", copying))
	source := w.Create(configMap)
	rule := w.project(source, w.served)
	w.Ready(rule)

	w.operatorOf("strict", w.Away, []string{"--require-service-account"}, right("", "configmaps", copying))
	w.Merge(rule, `{"metadata":{"labels":{"`+servedBy+`":"$AWAY"}}}`)
	w.says(rule, v1.ReasonRuleInvalid)
	w.Merge(source, `{"data":{"color":"blue"}}`)
	assert.Equal(t, "this installation serves rules with a service account only; copies are kept; set spec.serviceAccountName", w.says(rule, v1.ReasonRuleInvalid))
	assert.Equal(t, "red", entry(w.becomes(source, fixture.Anything), "color"))
	cluster := w.everywhere(source, "no-such-label", w.Home)
	w.Merge(cluster, `{"metadata":{"labels":{"`+servedBy+`":"$AWAY"}}}`)
	assert.True(t, strings.HasSuffix(w.says(cluster, v1.ReasonRuleInvalid), "set spec.serviceAccount"))

	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.says(rule, v1.ReasonSourceOptedOut)
	require.Eventually(t, func() bool { return w.read(source, w.Away, "settings") == nil }, env.Timeout, env.Interval)
}

// TestDefaultAccountIsThatOfRulesThatNameNone has a rule use the default of the installation, which has no rights yet.
func TestDefaultAccountIsThatOfRulesThatNameNone(t *testing.T) {
	w := newWorld(t)
	w.operatorWith([]string{"--default-service-account=tenant", "--require-service-account"}, right("", "configmaps", copying), impersonating("tenant"))
	source := w.Create(configMap)
	rule := w.project(source, w.served)
	assert.Contains(t, w.says(rule, v1.ReasonSourceFetchFailed), "the service account "+w.Away+":tenant cannot read ConfigMap "+w.Home+"/settings")
	w.grants("tenant", w.Home, right("", "configmaps", "get"))
	w.grants("tenant", w.Away, right("", "configmaps", "create patch"))
	w.Ready(rule)
}

// TestTenantsChooseFieldsWithinTheRightsOfTheirAccount is what a tenant without an account may not do.
func TestTenantsChooseFieldsWithinTheRightsOfTheirAccount(t *testing.T) {
	w := newWorld(t)
	source := w.Create(`
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: wall, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec: {podSelector: {matchLabels: {app: shop}}, policyTypes: [Ingress]}
`)
	without := func(rule *v1.Projection) { rule.Spec.Content.Fields.Exclude = []string{"spec.podSelector"} }
	assert.Contains(t, w.says(w.project(source, without), v1.ReasonRuleInvalid), "needs a service account")
	w.grants("promoter", w.Home, right("networking.k8s.io", "networkpolicies", "get"))
	rule := w.project(source, without, as("promoter"))
	assert.Contains(t, w.says(rule, v1.ReasonDestinationCreateFailed), `cannot patch resource "networkpolicies"`)
	assert.Nil(t, w.read(source, w.Away, "wall"))
	w.grants("promoter", w.Away, right("networking.k8s.io", "networkpolicies", "create patch"))
	w.Ready(rule)
}
