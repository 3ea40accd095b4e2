package hostile_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
)

// account makes a ServiceAccount of the test's, and returns a configuration that has its token and no other rights.
func (w *world) account(name string) *rest.Config {
	w.T.Helper()
	accounts := kubernetes.NewForConfigOrDie(cluster.Config).CoreV1().ServiceAccounts(w.Home)
	_, err := accounts.Create(w.T.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(w.T, err)
	token, err := accounts.CreateToken(w.T.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(w.T, err)
	config := rest.AnonymousClientConfig(cluster.Config)
	config.BearerToken = token.Status.Token
	return config
}

// may gives the account rights in the whole cluster until the end of the test.
func (w *world) may(account string, rules ...rbacv1.PolicyRule) {
	w.T.Helper()
	w.binds(account, rules...)
}

// right is to do something with resources of a group.
func right(group, resources, verbs string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: strings.Fields(resources), Verbs: strings.Fields(verbs)}
}

// shipped returns the rights in the cluster that the operator is installed with.
func shipped(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	var role rbacv1.ClusterRole
	content, err := os.ReadFile(env.Root() + "/config/rbac/role.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(content, &role))
	require.NotEmpty(t, role.Rules)
	return role.Rules
}

// least returns those of them that do not concern what is copied.
func least(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	return slices.DeleteFunc(shipped(t), func(rule rbacv1.PolicyRule) bool { return slices.Contains(rule.Resources, "*") })
}

const copying = "get list watch create patch delete"

// operatorWith runs a manager with the least rights and these, for rules of this test alone.
func (w *world) operatorWith(flags []string, rights ...rbacv1.PolicyRule) *manager.Process {
	w.T.Helper()
	return w.operatorOf("operator", w.Home, flags, rights...)
}

// operatorOf runs a manager as that service account, for rules with that label.
func (w *world) operatorOf(account, label string, flags []string, rights ...rbacv1.PolicyRule) *manager.Process {
	w.T.Helper()
	return w.operatorAs(account, label, flags, append(least(w.T), rights...)...)
}

// operatorAs runs a manager as that service account with exactly these rights, for rules with that label.
func (w *world) operatorAs(account, label string, flags []string, rights ...rbacv1.PolicyRule) *manager.Process {
	w.T.Helper()
	config := w.account(account)
	w.may(account, rights...)
	identity := w.T.TempDir() + "/" + w.Home + ".kubeconfig"
	require.NoError(w.T, env.WriteKubeConfig(identity, config))
	started, err := startManager(w.T.TempDir(), identity, append(flags, "--watch-label-selector="+servedBy+"="+label)...)
	require.NoError(w.T, err)
	w.T.Cleanup(func() { assert.NoError(w.T, started.Stop()) })
	return started
}

// served has the test's own operator serve the rule.
func (w *world) served(rule *v1.Projection) { rule.Labels = map[string]string{servedBy: w.Home} }

const role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: powers, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
rules: [{apiGroups: [""], resources: [secrets], verbs: ["*"]}]
`

const binding = `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: powers, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: default, namespace: $AWAY}]
`

// TestOperatorGivesNoRightsThatItLacks copies roles with an operator that may write them: the API server lets nobody give
// away what he has not.
func TestOperatorGivesNoRightsThatItLacks(t *testing.T) {
	rbac := right(rbacv1.GroupName, "roles rolebindings", copying)
	tests := map[string]struct {
		source  string
		rights  []rbacv1.PolicyRule
		refusal string // empty: it is copied
	}{
		"as installed, a role of everything":    {role, shipped(t), "attempting to grant RBAC permissions not currently held"},
		"as installed, a binding to the admin":  {binding, shipped(t), "attempting to grant RBAC permissions not currently held"},
		"as installed, a role that only reads":  {strings.ReplaceAll(role, `["*"]`, "[get]"), shipped(t), ""},
		"a role of rights that it lacks":        {role, []rbacv1.PolicyRule{rbac}, "attempting to grant RBAC permissions not currently held"},
		"a role of rights that it has":          {role, []rbacv1.PolicyRule{rbac, right("", "secrets", "*")}, ""},
		"a role, with the right to escalate":    {role, []rbacv1.PolicyRule{rbac, right(rbacv1.GroupName, "roles", "escalate")}, ""},
		"a binding to a role of such rights":    {binding, []rbacv1.PolicyRule{rbac}, "attempting to grant RBAC permissions not currently held"},
		"a binding, with the right to bind":     {binding, []rbacv1.PolicyRule{rbac, right(rbacv1.GroupName, "clusterroles", "bind")}, ""},
		"a role, without the right to write it": {role, []rbacv1.PolicyRule{right(rbacv1.GroupName, "roles", "get list watch")}, `cannot patch resource "roles"`},
		"a ServiceAccount, which has no rights": {`{apiVersion: v1, kind: ServiceAccount, metadata: {name: powers, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}}`, []rbacv1.PolicyRule{right("", "serviceaccounts", copying)}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.operatorWith(nil, test.rights...)
			source := w.Create(test.source)
			rule := w.project(source, w.served)
			if test.refusal == "" {
				w.Ready(rule)
				assert.Equal(t, source.Object["rules"], w.becomes(source, fixture.Anything).Object["rules"])
				return
			}
			assert.Contains(t, w.says(rule, v1.ReasonDestinationCreateFailed), test.refusal)
			assert.Nil(t, w.read(source, w.Away, "powers"))
		})
	}
}

func TestOperatorWithoutRightsSaysWhatItLacks(t *testing.T) {
	tests := map[string]struct {
		rights          []rbacv1.PolicyRule
		reason, message string
	}{
		"to watch the source":          {nil, v1.ReasonSourceFetchFailed, `cannot list resource "secrets"`},
		"to read the source":           {[]rbacv1.PolicyRule{right("", "secrets", "list watch")}, v1.ReasonSourceFetchFailed, `cannot get resource "secrets"`},
		"to write the copy":            {[]rbacv1.PolicyRule{right("", "secrets", "get list watch")}, v1.ReasonDestinationCreateFailed, `cannot patch resource "secrets"`},
		"to create it where it is not": {[]rbacv1.PolicyRule{right("", "secrets", "get list watch patch")}, v1.ReasonDestinationCreateFailed, `cannot create resource "secrets"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newSecretWorld(t)
			c.searched = c.operatorWith(nil, test.rights...)
			rule := c.project(c.secret("type: Opaque"), c.served)
			assert.Contains(t, c.says(rule, test.reason), test.message)
			c.requireSilence()
		})
	}
}

// TestTenantCannotConsentForOthers is what holds a tenant off from what he cannot read: the operator reads it for him only
// if whoever may write there has said so.
func TestTenantCannotConsentForOthers(t *testing.T) {
	c := newSecretWorld(t)
	tenant := fixture.Client(t, c.account("tenant"))
	c.mayIn(c.Away, "tenant", right("", "secrets configmaps", "*"), right(v1.Domain, "projections", "*"))
	_ = c.Client.Create(t.Context(), c.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: platform}}`)) // or it is there
	source := c.Create(`{apiVersion: v1, kind: Secret, metadata: {generateName: token-, namespace: platform}, stringData: {key: ` + c.canary + `}}`)
	rule := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: c.Away, Name: "theft"}, Spec: v1.ProjectionSpec{Source: fixture.RefTo(source)}}
	require.NoError(t, c.Client.Create(t.Context(), rule)) // for the tenant, whom the policy "authors" refuses where another test has installed it
	c.says(rule, v1.ReasonSourceNotProjectable)

	consent := rawMerge(`{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`)
	require.True(t, apierrors.IsForbidden(tenant.Patch(t.Context(), source.DeepCopy(), consent)))
	require.True(t, apierrors.IsForbidden(tenant.Create(t.Context(), &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: "theft"}, Spec: v1.ClusterProjectionSpec{Source: fixture.RefTo(source), Destination: v1.ClusterProjectionDestination{Namespaces: []string{c.Away}}},
	})))
	c.settles()
	assert.Nil(t, c.read(source, c.Away, source.GetName()))
	c.requireSilence()
}

// mayIn gives the account rights in a namespace.
func (w *world) mayIn(namespace, account string, rules ...rbacv1.PolicyRule) {
	w.T.Helper()
	w.mayInAs(namespace, account, account, rules...)
}

// mayInAs does the same by a role of that name.
func (w *world) mayInAs(namespace, account, name string, rules ...rbacv1.PolicyRule) {
	w.T.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Rules: rules}
	require.NoError(w.T, w.Client.Create(w.T.Context(), role))
	require.NoError(w.T, w.Client.Create(w.T.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.Home, Name: account}},
	}))
}

// TestPermissiveModeCopiesWhatNobodyVetoes shows what the mode costs, and the two things that it does not give away.
func TestPermissiveModeCopiesWhatNobodyVetoes(t *testing.T) {
	w := newWorld(t)
	w.operatorWith([]string{"--source-mode=permissive"}, right("", "secrets", copying))
	secret := func(name, kind, annotations string) *unstructured.Unstructured {
		return w.Create(`{apiVersion: v1, kind: Secret, type: ` + kind + `, metadata: {name: ` + name + `, namespace: $HOME, annotations: ` + annotations + `}}`)
	}
	w.Ready(w.project(secret("silent", "Opaque", `{}`), w.served))
	w.says(w.project(secret("vetoed", "Opaque", `{projection.sh/projectable: "false"}`), w.served), v1.ReasonSourceOptedOut)
	w.account("somebody")
	credential := secret("credential", "kubernetes.io/service-account-token", `{kubernetes.io/service-account.name: somebody, projection.sh/projectable: "true"}`)
	w.says(w.project(credential, w.served), v1.ReasonSourceNotProjectable)
	for _, kept := range []string{"vetoed", "credential"} {
		assert.Nil(t, w.read(credential, w.Away, kept))
	}
}

func TestHealthSaysNothing(t *testing.T) {
	for _, path := range []string{"/healthz", "/readyz"} {
		status, body := operator.Probe(t.Context(), path)
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, "ok", body)
	}
	_, body := operator.Probe(t.Context(), "/readyz?verbose")
	assert.Equal(t, "[+]caches ok\nhealthz check passed\n", body)
	for _, path := range []string{"/", "/metrics", "/debug/pprof/", "/configz"} {
		status, _ := operator.Probe(t.Context(), path)
		assert.Equal(t, http.StatusNotFound, status, path)
	}
}
