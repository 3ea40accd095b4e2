package rights_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/rights"
)

func TestObjects(t *testing.T) {
	remote := &v1alpha1.RemoteCluster{Spec: scoped("db")}
	remote.Spec.Impersonate = &v1alpha1.ClusterImpersonation{User: "hub/a"}
	grants := rights.For(remote, plural, []rights.Use{settings})
	var named []string
	var subjects []rbacv1.Subject
	for _, object := range rights.Objects(rights.Account{Namespace: "projection-system", Name: "hub-1"}, grants) {
		accessor, err := meta.Accessor(object)
		require.NoError(t, err)
		named = append(named, fmt.Sprintf("%s %s/%s", object.GetObjectKind().GroupVersionKind().Kind, accessor.GetNamespace(), accessor.GetName()))
		switch binding := object.(type) {
		case *rbacv1.ClusterRoleBinding:
			assert.Equal(t, rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: binding.Name}, binding.RoleRef)
			subjects = append(subjects, binding.Subjects...)
		case *rbacv1.RoleBinding:
			assert.Equal(t, rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: binding.Name}, binding.RoleRef)
			subjects = append(subjects, binding.Subjects...)
		}
	}
	assert.Equal(t, []string{
		"Namespace /projection-system", "ServiceAccount projection-system/hub-1",
		"ClusterRole /hub-1", "ClusterRoleBinding /hub-1",
		"Role projection-system/hub-1", "RoleBinding projection-system/hub-1",
		"Role db/hub-1-9de2d41f", "RoleBinding db/hub-1-9de2d41f",
	}, named)
	account := rbacv1.Subject{Kind: "ServiceAccount", Namespace: "projection-system", Name: "hub-1"}
	user := rbacv1.Subject{Kind: "User", APIGroup: "rbac.authorization.k8s.io", Name: "hub/a"}
	assert.Equal(t, []rbacv1.Subject{account, account, user}, subjects)
}
