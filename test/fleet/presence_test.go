package fleet_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
	"projection.sh/operator/test/env"
)

// declareHome creates a RemoteCluster whose lease is in the namespace of the same name.
func (o *operator) declareHome(t *testing.T, name string) {
	t.Helper()
	o.declare(t, name, v1alpha1.RemoteClusterSpec{
		Access: v1alpha1.ClusterAccess{Kubeconfig: &v1alpha1.KubeconfigAccess{Secret: name}}, Scope: v1alpha1.ClusterScope{Home: name},
	})
}

// fenced waits until the condition Fenced has the reason.
func (o *operator) fenced(t *testing.T, name, reason string) (*v1alpha1.RemoteCluster, metav1.Condition) {
	t.Helper()
	var remote *v1alpha1.RemoteCluster
	var condition *metav1.Condition
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		remote = o.read(t, name)
		condition = meta.FindStatusCondition(remote.Status.Conditions, v1alpha1.ConditionFenced)
		if assert.NotNil(c, condition) {
			assert.Equal(c, reason, condition.Reason, condition.Message)
		}
	}, 2*env.Timeout, env.Interval)
	return remote, *condition
}

func createNamespace(t *testing.T, name string) {
	t.Helper()
	_, err := admin().CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// TestSecondProcessWithOurHubIDWritesNothing runs two processes of one hub.
func TestSecondProcessWithOurHubIDWritesNothing(t *testing.T) {
	const name = "presence"
	createNamespace(t, name)
	setSecret(t, name, adminAccess(t, cluster, name))
	first := startOperator(t, "operator-first")
	first.declareHome(t, name)
	former := first.connected(t, name)
	remote, condition := first.fenced(t, name, v1alpha1.ReasonLeaseHeld)
	assert.Equal(t, "the operator holds its lease in the namespace presence", condition.Message)
	assert.True(t, meta.IsStatusConditionTrue(remote.Status.Conditions, v1alpha1.ConditionReady))
	require.Eventually(t, func() bool { return former.Writable() == nil }, env.Timeout, env.Interval)
	assert.Equal(t, fleet.Suitable, former.Presence().Suitability(), "a kube-apiserver checks what writes rely on")
	leases, err := admin().CoordinationV1().Leases(name).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, leases.Items, 1)
	lease := leases.Items[0]
	assert.Regexp(t, "^projection-[0-9a-f]{12}$", lease.Name)

	second := startOperator(t, "operator-second")
	_, condition = second.fenced(t, name, v1alpha1.ReasonHeldByAnother)
	assert.Contains(t, condition.Message, *lease.Spec.HolderIdentity)
	_, condition = second.says(t, name, v1alpha1.ReasonHeldByAnother)
	assert.Equal(t, metav1.ConditionFalse, condition.Status)
	latter, isOffered := second.Get(name)
	require.True(t, isOffered, "it may read there")
	require.ErrorContains(t, latter.Writable(), *lease.Spec.HolderIdentity)
	require.NoError(t, former.Writable())
	second.stop()

	first.stop()
	third := startOperator(t, "operator-third")
	third.fenced(t, name, v1alpha1.ReasonLeaseHeld)
	require.Eventually(t, func() bool {
		member, found := third.Get(name)
		return found && member.Writable() == nil
	}, env.Timeout, env.Interval, "the first one has given it back")
}

// TestLeaseIsNotPermitted has credentials that permit nothing but to see which cluster it is.
func TestLeaseIsNotPermitted(t *testing.T) {
	const name = "presence-forbidden"
	newAccount(t, name)
	remove := func() {
		_ = admin().RbacV1().ClusterRoleBindings().Delete(context.Background(), name, metav1.DeleteOptions{}) // it may be deleted already
	}
	remove()
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get"}}},
	}
	_, err := admin().RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = admin().RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: name, Name: "hub"}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(remove)
	setSecret(t, name, tokenAccess(t, name, "token"))
	o := startOperator(t, "operator-forbidden")
	o.declareHome(t, name)
	_, condition := o.fenced(t, name, v1alpha1.ReasonLeaseNotPermitted)
	assert.Equal(t, "the credentials permit no lease in the namespace presence-forbidden; a second process with the same hub id would not be noticed; "+
		"permit them to get, create and update leases there", condition.Message)
	member := o.connected(t, name)
	require.Eventually(t, func() bool { return member.Writable() == nil || member.Presence().Suitability() == fleet.NotAskable }, env.Timeout, env.Interval)
	assert.Equal(t, fleet.LeaseNotPermitted, member.Presence().State().Kind)
}

// TestHomeOfTheLeaseIsMissing corrects the name of the namespace.
func TestHomeOfTheLeaseIsMissing(t *testing.T) {
	const name = "presence-home"
	setSecret(t, name, adminAccess(t, cluster, name))
	o := startOperator(t, "operator-home")
	o.declareHome(t, name)
	_, condition := o.fenced(t, name, v1alpha1.ReasonHomeMissing)
	assert.Contains(t, condition.Message, "there is no namespace presence-home for the lease")
	o.connected(t, name)
	createNamespace(t, "presence-home-2")
	remote := o.read(t, name)
	before := remote.DeepCopy()
	remote.Spec.Scope.Home = "presence-home-2"
	require.NoError(t, o.client.Patch(t.Context(), remote, client.MergeFrom(before)))
	o.fenced(t, name, v1alpha1.ReasonLeaseHeld)
}
