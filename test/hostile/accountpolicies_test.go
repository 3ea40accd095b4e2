package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// TestAccountMarksCopiesOfItsOwnRules has an account write copies, which needs the verb own on the rule under the policy.
func TestAccountMarksCopiesOfItsOwnRules(t *testing.T) {
	w := newWorld(t)
	w.installPolicies()
	for name, resource := range map[string]string{"rule": "projections", "cluster": "clusterprojections"} {
		writer := w.account(name)
		mark := `projection.sh/owned-by-projection: ` + w.Away + `/mine`
		own := rbacv1.PolicyRule{APIGroups: []string{v1.Domain}, Resources: []string{resource}, ResourceNames: []string{"mine"}, Verbs: []string{"own"}}
		w.mayIn(w.Away, name, right("", "configmaps", "create"))
		others := []string{`projection.sh/owned-by-projection: ` + w.Away + `/theirs`, `projection.sh/owned-by-projection: other/mine`, `projection.sh/owned-by-cluster-projection: theirs`}
		if resource == "clusterprojections" {
			mark = `projection.sh/owned-by-cluster-projection: mine`
			others[0] = `projection.sh/owned-by-projection: ` + w.Away + `/mine`
		} else {
			others = append(others, `projection.sh/owned-by-cluster-projection: mine`)
		}
		as := fixture.Client(t, writer)
		marked := func(annotation string) *unstructured.Unstructured {
			return w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {generateName: any-, namespace: $AWAY, annotations: {` + annotation + `}}}`)
		}
		requireDenied(t, creating(as, marked(mark)), "only the operator writes ")
		w.may(name, own)
		require.Eventually(t, func() bool { return creating(as, marked(mark))() == nil }, env.Timeout, env.Interval, name)
		for _, other := range others {
			requireDenied(t, creating(as, marked(other)), "only the operator writes ")
		}
	}
}

// TestAccountsTakeTheRightToImpersonate plays a tenant who may write Projections, and names accounts.
func TestAccountsTakeTheRightToImpersonate(t *testing.T) {
	w := newWorld(t)
	tenant := w.tenant()
	w.may("tenant", right("", "configmaps", "get")) // else the policy "authors" refuses
	rule := func(account string) *v1.Projection {
		return &v1.Projection{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Away, GenerateName: "rule-"},
			Spec: v1.ProjectionSpec{
				Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: "platform", Name: "any"},
				Destination: v1.ProjectionDestination{Name: "other"}, ServiceAccountName: account,
			},
		}
	}
	requireDenied(t, creating(tenant, rule("builder")), `you need the verb "impersonate" on the service account `+w.Away+"/builder to have a rule use its permissions")
	require.NoError(t, creating(tenant, rule(""))(), "without an account")

	kept := rule("builder")
	require.NoError(t, w.Client.Create(t.Context(), kept))
	requireDenied(t, func() error {
		return tenant.Patch(t.Context(), kept.DeepCopy(), rawMerge(`{"spec":{"source":{"name":"another"}}}`), client.DryRunAll)
	}, "impersonate")
	require.NoError(t, tenant.Patch(t.Context(), kept.DeepCopy(), rawMerge(`{"metadata":{"labels":{"a":"b"}}}`), client.DryRunAll), "the spec stays")
	remove := func() error {
		return tenant.Patch(t.Context(), kept.DeepCopy(), rawMerge(`{"spec":{"serviceAccountName":null}}`), client.DryRunAll)
	}
	requireDenied(t, remove, "/builder to change a rule that uses its permissions")

	builder := right("", "serviceaccounts", "impersonate")
	builder.ResourceNames = []string{"builder"}
	w.mayInAs(w.Away, "tenant", "builder", builder)
	require.Eventually(t, func() bool { return creating(tenant, rule("builder"))() == nil }, env.Timeout, env.Interval)
	requireDenied(t, creating(tenant, rule("deployer")), "impersonate")
	require.NoError(t, remove())
	requireDenied(t, func() error {
		return tenant.Patch(t.Context(), kept.DeepCopy(), rawMerge(`{"spec":{"serviceAccountName":"deployer"}}`), client.DryRunAll)
	}, "/deployer")

	w.may("tenant", right(v1.Domain, "clusterprojections", "create"))
	ofCluster := func(namespace, name string) *v1.ClusterProjection {
		return &v1.ClusterProjection{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "rule-"},
			Spec: v1.ClusterProjectionSpec{
				Source:         v1.SourceRef{Kind: "ConfigMap", Namespace: "platform", Name: "any"},
				Destination:    v1.ClusterProjectionDestination{Namespaces: []string{w.Away}},
				ServiceAccount: &v1.ServiceAccountRef{Namespace: namespace, Name: name},
			},
		}
	}
	without := ofCluster("", "")
	without.Spec.ServiceAccount = nil
	require.Eventually(t, func() bool { return creating(tenant, without)() == nil }, env.Timeout, env.Interval)
	requireDenied(t, creating(tenant, ofCluster("kube-system", "builder")), "the service account kube-system/builder")
	require.Eventually(t, func() bool { return creating(tenant, ofCluster(w.Away, "builder"))() == nil }, env.Timeout, env.Interval)
}
