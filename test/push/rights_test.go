package push_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

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
	}, []rights.Use{use})
	p.east.Permit(limited, grants)
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
	fixture.UsesAll(t, fixture.RequestsSince(t, east, mark, limited), grants, notInThisTest)
}

// notInThisTest are permissions that other stories need, that take longer, or without which an apply creates nothing. Kinds are listed by watches, unless
// an API server does not support that.
var notInThisTest = []string{
	"list configmaps", "list namespaces", "update leases",
	"list customresourcedefinitions", "watch customresourcedefinitions", "create configmaps", "create namespaces", "get configmaps", "create leases",
}
