package crash_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// permitAccounts lets every service account read sources and write copies.
func permitAccounts(t *testing.T, c client.Client) {
	t.Helper()
	name := metav1.ObjectMeta{Name: "reads-and-writes-copies"}
	role := &rbacv1.ClusterRole{ObjectMeta: name, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"configmaps", "secrets"}, Verbs: []string{"get", "create", "patch"}},
	}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: name,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: "system:serviceaccounts"}},
	}
	for _, object := range []client.Object{role, binding} {
		if err := c.Create(t.Context(), object); !apierrors.IsAlreadyExists(err) {
			require.NoError(t, err)
		}
	}
}
