package pull_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

// mayRead lets the user read ConfigMaps in the namespace of the sources, until the function is called.
func (p *pulling) mayRead(user string) (end func()) {
	p.T.Helper()
	rbac := kubernetes.NewForConfigOrDie(member.Config).RbacV1()
	_, err := rbac.Roles(p.there.Home).Create(p.T.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}}},
	}, metav1.CreateOptions{})
	require.NoError(p.T, err)
	_, err = rbac.RoleBindings(p.there.Home).Create(p.T.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}, metav1.CreateOptions{})
	require.NoError(p.T, err)
	return func() {
		require.NoError(p.T, rbac.RoleBindings(p.there.Home).Delete(p.T.Context(), "reader", metav1.DeleteOptions{}))
	}
}

func asUser(spec *v1alpha1.RemoteClusterSpec) {
	spec.Impersonate = &v1alpha1.ClusterImpersonation{User: "projection:platform"}
}

func perNamespace(spec *v1alpha1.RemoteClusterSpec) {
	spec.Impersonate = &v1alpha1.ClusterImpersonation{PerNamespace: "projection:ns:{namespace}"}
}

// selecting has the rule select the source by the label share=yes.
func selecting(rule *v1.Projection) {
	rule.Spec.Source.Name, rule.Spec.Source.Selector = "", &v1.SourceSelector{MatchLabels: map[string]v1.LabelValue{"share": "yes"}}
}

// TestSourceIsReadInTheNameOfTheUser has the operator be permitted all, and the user that it impersonates nothing at first.
func TestSourceIsReadInTheNameOfTheUser(t *testing.T) {
	for name, test := range map[string]struct {
		impersonate func(*v1alpha1.RemoteClusterSpec)
		user        func(*pulling) string
		adapt       func(*v1.Projection)
	}{
		"one user":                      {asUser, func(*pulling) string { return "projection:platform" }, func(*v1.Projection) {}},
		"one user, selected":            {asUser, func(*pulling) string { return "projection:platform" }, selecting},
		"a user by namespace":           {perNamespace, func(p *pulling) string { return "projection:ns:" + p.Away }, func(*v1.Projection) {}},
		"a user by namespace, selected": {perNamespace, func(p *pulling) string { return "projection:ns:" + p.Away }, selecting},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPulling(t, test.impersonate)
			source := p.there.Create(consenting)
			p.there.Merge(source, `{"metadata": {"labels": {"share": "yes"}}}`)
			rule := p.pull(source, test.adapt)
			condition := p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceFetchFailed)
			assert.Contains(t, condition.Message, "the user "+test.user(p)+", which the RemoteCluster impersonates, cannot read ConfigMap "+p.there.Home+
				"/roots in the cluster eu-1")
			_, err := p.Get(source, p.Away, "roots")
			require.Error(t, err, "nothing is copied that the user may not read")

			p.mayRead(test.user(p))
			p.there.Merge(source, `{"data": {"bundle": "second"}}`)
			p.Ready(rule)
			p.holds(source, "second")
		})
	}
}

// TestOptOutHoldsWithoutThePermissionOfTheUser has the user lose its role before the owner of the source opts out.
func TestOptOutHoldsWithoutThePermissionOfTheUser(t *testing.T) {
	p := newPulling(t, asUser)
	source := p.there.Create(consenting)
	end := p.mayRead("projection:platform")
	rule := p.pull(source)
	p.Ready(rule)
	copied := p.holds(source, "first")
	end()
	p.there.Merge(source, `{"data": {"bundle": "second"}}`)
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceFetchFailed)
	p.holds(source, "first")
	p.there.Merge(source, `{"metadata": {"annotations": {"projection.sh/exportable": "false"}}}`)
	p.Gone(copied)
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceOptedOut)
}
