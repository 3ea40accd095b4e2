package push_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/rights"
	"projection.sh/operator/test/env/fixture"
)

// limited is who the operator is to a cluster that permits it no more than it needs.
const limited = "projection-limited"

// TestPermissionsThatAreGenerated has an operator with these permissions connect, write, repair and delete copies, and create a namespace. No request is
// refused, and no permission is left over.
func TestPermissionsThatAreGenerated(t *testing.T) {
	p := newPushing(t)
	use := rights.Use{Direction: v1alpha1.Push, Kind: schema.GroupKind{Kind: "ConfigMap"}, CreatesNamespaces: true}
	grants := rights.For(p.east.Remote.Get(), func(kind schema.GroupKind) schema.GroupResource {
		return schema.GroupResource{Group: kind.Group, Resource: strings.ToLower(kind.Kind) + "s"}
	}, use)
	for _, object := range rights.Objects(rights.Account{Namespace: "projection-system", Name: limited}, grants) {
		p.east.permit(object.(client.Object))
	}
	mark := fixture.Mark(t, east)
	p.east.Remote.Delete()
	p.east.As(limited)
	p.east.Remote.Create()
	source := p.World.Create(consenting)
	missing := p.Away + "-missing"
	rule := p.push(source, func(rule *v1.ClusterProjection) {
		rule.Spec.Destination.Clusters.Names = []v1.ClusterName{"east"}
		rule.Spec.Destination.Namespaces = []v1.NamespaceName{p.Away, missing}
		rule.Spec.Destination.CreateNamespaces = v1.CreateNamespacesIfMissing
	})
	p.Ready(rule)
	copied := p.east.holds(source, "red")
	p.east.World.Merge(copied, `{"data": {"color": "green"}}`)
	p.east.holds(source, "red")
	p.Delete(rule)
	p.World.Gone(rule)
	p.east.World.Gone(copied)
	requests := fixture.RequestsSince(t, east, mark, limited)
	assert.NotEmpty(t, requests)
	for _, request := range requests {
		assert.NotEqual(t, 403, request.Code, "%s %s", request.Verb, request.Resource)
	}

	used := map[string]bool{}
	for _, request := range requests {
		used[request.Verb+" "+request.Resource] = true
	}
	for _, grant := range grants {
		for _, permitted := range grant.Rules {
			for _, verb := range permitted.Verbs {
				what := verb + " " + permitted.Resources[0]
				assert.True(t, used[what] || slices.Contains(notInThisTest, what), "%s is granted, and was not used", what)
			}
		}
	}
}

// notInThisTest are permissions that other stories need, that take longer, or without which an apply creates nothing. Kinds are listed by watches, unless
// an API server does not support that.
var notInThisTest = []string{
	"list configmaps", "list namespaces", "update leases",
	"list customresourcedefinitions", "watch customresourcedefinitions", "create configmaps", "create namespaces", "get configmaps", "create leases",
}

// permit creates an object of RBAC, and what else the operator needs, unless it is there.
func (p *place) permit(object client.Object) {
	p.World.T.Helper()
	switch binding := object.(type) {
	case *rbacv1.ClusterRoleBinding:
		binding.Subjects = []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: limited}}
	case *rbacv1.RoleBinding:
		binding.Subjects = []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: limited}}
	}
	err := p.Client.Create(p.World.T.Context(), object)
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(p.World.T, err)
	}
}
