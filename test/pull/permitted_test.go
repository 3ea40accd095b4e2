package pull_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// boundUser is who the operator is to the member if its permissions are bounded.
const boundUser = "projection-bound"

// grant permits the bound user the verbs, in the whole member.
func (p *pulling) grant(name, group, resource string, verbs ...string) {
	p.T.Helper()
	rbac := kubernetes.NewForConfigOrDie(member.Config).RbacV1()
	meta := metav1.ObjectMeta{GenerateName: name + "-"}
	role, err := rbac.ClusterRoles().Create(p.T.Context(), &rbacv1.ClusterRole{
		ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}},
	}, metav1.CreateOptions{})
	require.NoError(p.T, err)
	_, err = rbac.ClusterRoleBindings().Create(p.T.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: boundUser}},
	}, metav1.CreateOptions{})
	require.NoError(p.T, err)
}

// permitted waits until the condition Permitted has the reason.
func (p *pulling) permitted(reason string) *metav1.Condition {
	p.T.Helper()
	var condition *metav1.Condition
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		condition = meta.FindStatusCondition(p.remote().Status.Conditions, v1alpha1.ConditionPermitted)
		if assert.NotNil(c, condition) {
			assert.Equal(c, reason, condition.Reason)
		}
	}, env.Timeout, env.Interval)
	return condition
}

// TestMissingPermissionsAreNamed has the operator lack permissions that a rule needs, and get them with new credentials.
func TestMissingPermissionsAreNamed(t *testing.T) {
	p := newPulling(t)
	p.grant("bound-identity", "", "namespaces", "get")
	p.setKubeconfigOf(boundUser)
	mark := fixture.Mark(t, member)
	reviews := func() (count int) {
		for _, request := range fixture.RequestsSince(t, member, mark, boundUser) {
			if request.Resource == "selfsubjectaccessreviews" {
				count++
			}
		}
		return count
	}
	require.Eventually(t, func() bool { return len(fixture.RequestsSince(t, member, mark, boundUser)) > 0 }, env.Timeout, env.Interval)
	p.permitted(v1alpha1.ReasonPermitted)
	assert.Zero(t, reviews(), "no rule needs anything")

	source := p.there.Create(consenting)
	rule := p.pull(source)
	condition := p.permitted(v1alpha1.ReasonPermissionsMissing)
	assert.Equal(t, metav1.ConditionFalse, condition.Status)
	assert.Equal(t, "the credentials do not permit to get, list and watch configmaps in the whole cluster, which rules need; apply there what "+
		"kubectl projection rights eu-1 prints", condition.Message)
	assert.True(t, meta.IsStatusConditionFalse(p.remote().Status.Conditions, v1alpha1.ConditionReady))

	p.grant("bound-objects", "", "configmaps", "get", "list", "watch")
	p.setKubeconfigOf(boundUser)
	p.permitted(v1alpha1.ReasonPermitted)
	p.Ready(rule)
	p.holds(source, "first")

	asked := reviews()
	p.there.Merge(source, `{"data": {"bundle": "second"}}`)
	p.holds(source, "second")
	p.Delete(rule)
	p.permitted(v1alpha1.ReasonPermitted)
	assert.Equal(t, asked, reviews(), "what is known is not asked again")
}
