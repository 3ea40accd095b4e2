package impersonate_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/test/env"
)

// allow gives a subject permissions in the cluster.
func allow(t testing.TB, subject rbacv1.Subject, rules ...rbacv1.PolicyRule) {
	t.Helper()
	rbac := kubernetes.NewForConfigOrDie(cluster.Config).RbacV1()
	role, err := rbac.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "impersonate-"}, Rules: rules,
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = rbac.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "impersonate-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{subject},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

func user(name string) rbacv1.Subject {
	return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}
}

// refusal returns what the API server says of reading objects in the name of an account of the namespace production that lacks all rights.
func refusal(t *testing.T, client kubernetes.Interface, account, resource string) error {
	t.Helper()
	named := impersonate.As(t.Context(), impersonate.UserOf(ref(account)))
	return client.CoreV1().RESTClient().Get().Namespace("default").Resource(resource).Name("any").Do(named).Error()
}

func TestImpersonationIsAllowedByName(t *testing.T) {
	t.Parallel()
	config, err := cluster.ConfigFor("by-name")
	require.NoError(t, err)
	allow(t, user("by-name"), rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, ResourceNames: []string{"projection-writer"}, Verbs: []string{"impersonate"},
	})
	client, writer := newClient(t, config), impersonate.UserOf(ref("projection-writer"))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.True(c, writer.Lacks(refusal(t, client, "projection-writer", "secrets")), "impersonated, and refused")
	}, env.Timeout, env.Interval)
	err = refusal(t, client, "another", "secrets")
	assert.True(t, apierr.IsImpersonationForbidden(err), err)
	assert.False(t, writer.Lacks(err), err)
}

// TestConstrainedImpersonation allows reads of ConfigMaps in the name of one account, and nothing else. API servers before 1.36 do not know
// that permission, and refuse.
func TestConstrainedImpersonation(t *testing.T) {
	t.Parallel()
	config, err := cluster.ConfigFor("constrained")
	require.NoError(t, err)
	version, err := kubernetes.NewForConfigOrDie(cluster.Config).ServerVersion()
	require.NoError(t, err)
	minor, err := strconv.Atoi(version.Minor)
	require.NoError(t, err)
	allow(t, user("constrained"),
		rbacv1.PolicyRule{
			APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"serviceaccounts"},
			ResourceNames: []string{"projection-writer"}, Verbs: []string{"impersonate:serviceaccount"},
		},
		rbacv1.PolicyRule{
			APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"selfsubjectreviews"}, Verbs: []string{"impersonate-on:serviceaccount:create"},
		},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"impersonate-on:serviceaccount:get"}},
		rbacv1.PolicyRule{APIGroups: []string{"example.com"}, Resources: []string{"marks"}, Verbs: []string{"get"}},
	)
	admin := kubernetes.NewForConfigOrDie(cluster.Config)
	require.Eventually(t, func() bool { return may(t, admin, "constrained", "example.com", "marks") }, env.Timeout, env.Interval)

	client := newClient(t, config)
	for _, test := range []struct {
		account, resource string
		impersonated      bool
	}{
		{"projection-writer", "configmaps", true},
		{"projection-writer", "secrets", false},
		{"another", "configmaps", false},
		{"another", "secrets", false},
	} {
		err := refusal(t, client, test.account, test.resource)
		assert.Equal(t, test.impersonated && minor >= 36, impersonate.UserOf(ref(test.account)).Lacks(err), "%+v: %v", test, err)
		assert.Equal(t, !test.impersonated || minor < 36, apierr.IsImpersonationForbidden(err), "%+v: %v", test, err)
	}
}

// BenchmarkRead compares requests in the name of the operator with those in the name of a service account.
func BenchmarkRead(b *testing.B) {
	config, err := cluster.ConfigFor("measured", "system:masters")
	require.NoError(b, err)
	client := newClient(b, config)
	promoter := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: "production", Name: "promoter"}
	allow(b, promoter, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get"}})
	for name, user := range map[string]impersonate.User{"operator": impersonate.Operator(), "account": account("production", "promoter")} {
		ctx := impersonate.As(b.Context(), user)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := client.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// may reports whether the API server knows that the user may get the resource.
func may(t *testing.T, admin kubernetes.Interface, user, group, resource string) bool {
	t.Helper()
	review, err := admin.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "get", Group: group, Resource: resource},
		},
	}, metav1.CreateOptions{})
	return err == nil && review.Status.Allowed
}

func ref(name string) *v1.ServiceAccountRef {
	return &v1.ServiceAccountRef{Namespace: "production", Name: name}
}
