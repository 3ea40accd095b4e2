package property_test

import (
	"context"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// readerRole is the name of a role that may read everything and write nothing.
const readerRole = "reads-everything"

// grant binds the operator to the role.
func (d *driver) grant(role string) {
	d.t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: d.user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: d.user}},
	}
	require.NoError(d.t, d.client.Create(context.Background(), binding))
}

func (d *driver) revoke() {
	d.t.Helper()
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: d.user}}
	require.NoError(d.t, client.IgnoreNotFound(d.client.Delete(context.Background(), binding)))
}

// mayEverything gives the operator every right, and returns when the API server knows.
func (d *driver) mayEverything() {
	d.t.Helper()
	d.revoke()
	d.grant("cluster-admin")
	d.forbidden = false
	require.Eventually(d.t, func() bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: d.user, ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "patch", Resource: "configmaps"},
		}}
		return d.client.Create(context.Background(), review) == nil && review.Status.Allowed
	}, timeout, interval)
}

// forbid takes rights from the operator: all, or those to write.
func (d *driver) forbid() {
	reads := d.chance(50)
	d.revoke()
	if reads {
		role := &rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: readerRole},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}}},
		}
		if err := d.client.Create(context.Background(), role); !apierrors.IsAlreadyExists(err) {
			require.NoError(d.t, err)
		}
		d.grant(readerRole)
	}
	d.forbidden = true
	d.did(nil, "the operator has no rights any more, but to read: %t", reads)
}

// permit ends what forbid and stripAccounts began.
func (d *driver) permit() {
	if d.forbidden {
		d.mayEverything()
	}
	if d.stripped {
		d.permitAccounts()
	}
}
