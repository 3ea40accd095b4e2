package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

const needsAll = `you need the verb "use" on all remoteclusters to have a rule select clusters, or name more than two`

// pushing returns a ClusterProjection that copies into the clusters.
func (w *world) pushing(name string, clusters v1.ClusterTargets) *v1.ClusterProjection {
	return &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.ClusterProjectionSpec{
			Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: w.Home, Name: "settings"},
			Destination: v1.ClusterProjectionDestination{Namespaces: []string{w.Away}, Clusters: &clusters},
		},
	}
}

// mayUse lets the account write ClusterProjections and use RemoteClusters: those of these names, or all if none is given.
func (w *world) mayUse(account string, names ...string) client.Client {
	use := rbacv1.PolicyRule{APIGroups: []string{v1.Domain}, Resources: []string{"remoteclusters"}, Verbs: []string{"use"}, ResourceNames: names}
	as := fixture.Client(w.T, w.account(account))
	w.may(account, right(v1.Domain, "clusterprojections", "get create update patch"), use)
	return as
}

func TestOtherClustersTakeAVerbOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	w.installPolicies()
	w.may("author", right(v1.Domain, "clusterprojections", "get create update patch"))
	author := fixture.Client(t, w.account("author"))
	of, all := w.mayUse("of-two", "eu-1", "eu-2"), w.mayUse("of-all")
	named := func(names ...string) *v1.ClusterProjection { return w.pushing(w.Away, v1.ClusterTargets{Names: names}) }
	selected := w.pushing(w.Away, v1.ClusterTargets{Selector: &v1.ClusterSelector{}, Except: []string{"us-1"}})

	requireDenied(t, creating(author, named("eu-1")), `you need the verb "use" on the remoteclusters eu-1 to have a rule copy into them; ask`)
	requireDenied(t, creating(author, named("eu-1", "eu-2")), `you need the verb "use" on the remoteclusters eu-1 and eu-2`)
	requireDenied(t, creating(author, named("eu-1", "eu-2", "eu-3")), needsAll)
	requireDenied(t, creating(author, selected), needsAll)

	require.NoError(t, creating(of, named("eu-1"))())
	require.NoError(t, creating(of, named("eu-2", "eu-1"))())
	requireDenied(t, creating(of, named("us-1")), "remoteclusters us-1")
	requireDenied(t, creating(of, named("eu-1", "us-1")), "remoteclusters eu-1 and us-1")
	requireDenied(t, creating(of, named("eu-1", "eu-2", "eu-3")), needsAll)
	requireDenied(t, creating(of, selected), needsAll)

	for _, rule := range []*v1.ClusterProjection{named("us-1"), named("eu-1", "us-1"), named("eu-1", "eu-2", "eu-3"), selected} {
		require.NoError(t, creating(all, rule)())
	}
	local := named()
	local.Spec.Destination.Clusters = nil
	require.NoError(t, creating(author, local)(), "a rule of this cluster")
}

func TestSourceInAnotherClusterTakesTheVerbToUseIt(t *testing.T) {
	w := newWorld(t)
	w.installPolicies()
	of := w.mayUse("reader", "eu-1")
	pulling := func(cluster string) *v1.ClusterProjection {
		rule := w.pushing(w.Away, v1.ClusterTargets{})
		rule.Spec.Source.Cluster, rule.Spec.Destination.Clusters = cluster, nil
		return rule
	}
	requireDenied(t, creating(of, pulling("us-1")), `you need the verb "use" on the remoteclusters us-1 to have a rule copy from it`)
	require.NoError(t, creating(of, pulling("eu-1"))())
	relaying := pulling("us-1")
	relaying.Spec.Destination.Clusters = &v1.ClusterTargets{Names: []string{"eu-1"}}
	requireDenied(t, creating(of, relaying), `remoteclusters us-1 to have a rule copy from it`)
}

func TestRuleThatCopiesIntoOtherClustersIsChangedByWhoMayUseThem(t *testing.T) {
	w := newWorld(t)
	w.installPolicies()
	w.may("author", right(v1.Domain, "clusterprojections", "get create update patch"))
	author, of := fixture.Client(t, w.account("author")), w.mayUse("of-one", "eu-1")
	kept := w.pushing(w.Away, v1.ClusterTargets{Names: []string{"eu-1"}})
	require.NoError(t, w.Client.Create(t.Context(), kept))
	t.Cleanup(func() { w.Delete(kept) })
	patch := func(as client.Client, patch string) func() error {
		return func() error { return as.Patch(t.Context(), kept.DeepCopy(), rawMerge(patch), client.DryRunAll) }
	}
	another := `{"spec":{"source":{"name":"another"}}}`
	requireDenied(t, patch(author, another), `"use" on the remoteclusters eu-1`)
	requireDenied(t, patch(author, `{"spec":{"destination":{"name":"another"}}}`), `"use" on the remoteclusters eu-1`)
	require.NoError(t, patch(of, another)())
	requireDenied(t, patch(of, `{"spec":{"destination":{"clusters":{"names":["eu-1","eu-2"]}}}}`), `remoteclusters eu-1 and eu-2`)
	require.NoError(t, patch(author, `{"metadata":{"labels":{"a":"b"}}}`)(), "the spec stays")
	require.NoError(t, patch(author, `{"spec":{"destination":{"clusters":null}}}`)(), "no other cluster any more")
}

func TestPublishedResourceTakesTheVerbToUseItsClusters(t *testing.T) {
	w := newWorld(t)
	w.installPolicies()
	of, all := w.mayUse("of-two", "eu-1", "eu-2"), w.mayUse("of-all")
	for _, account := range []string{"of-two", "of-all"} {
		w.may(account, right(v1.Domain, "publishedresources", "create"))
	}
	publishing := func(service, clusters string) *unstructured.Unstructured {
		return w.Object(`{apiVersion: projection.sh/v1alpha1, kind: PublishedResource, metadata: {name: $AWAY}, spec: {` +
			`service: {cluster: ` + service + `, resource: {group: example.com, kind: Database}}, consumers: {clusters: ` + clusters + `}}}`)
	}
	require.NoError(t, creating(w.Client, publishing("us-1", "{names: [us-1]}"))(), "it is valid, and administrators may")
	requireDenied(t, creating(of, publishing("eu-1", "{names: [us-1]}")), "remoteclusters us-1 to offer a resource to them")
	requireDenied(t, creating(of, publishing("us-1", "{names: [eu-1]}")), "remoteclusters us-1 to offer a resource of it")
	requireDenied(t, creating(of, publishing("eu-1", "{names: [eu-1, eu-2, eu-3]}")), `"use" on all remoteclusters`)
	requireDenied(t, creating(of, publishing("eu-1", "{selector: {matchLabels: {tier: prod}}}")), `"use" on all remoteclusters`)
	require.NoError(t, creating(of, publishing("eu-1", "{names: [eu-1, eu-2]}"))())
	require.NoError(t, creating(all, publishing("us-1", "{selector: {matchLabels: {tier: prod}}}"))())
}

func TestLabelsOfARemoteClusterTakeTheVerbToUseIt(t *testing.T) {
	w := newWorld(t)
	w.installPolicies()
	remote := w.Object(`{apiVersion: projection.sh/v1alpha1, kind: RemoteCluster, metadata: {name: $AWAY, labels: {tier: test}},
spec: {access: {kubeconfig: {secret: eu-1}}}}`)
	require.NoError(t, w.Client.Create(t.Context(), remote))
	t.Cleanup(func() { w.Delete(remote) })
	of, other := w.mayUse("of-it", w.Away), w.mayUse("of-another", "eu-1")
	for _, account := range []string{"of-it", "of-another"} {
		w.may(account, right(v1.Domain, "remoteclusters", "get patch update"))
	}
	patch := func(as client.Client, patch string) func() error {
		return func() error { return as.Patch(t.Context(), remote.DeepCopy(), rawMerge(patch), client.DryRunAll) }
	}
	labels := `{"metadata": {"labels": {"tier": "prod"}}}`
	requireDenied(t, patch(other, labels), `you need the verb "use" on the remoteclusters `+w.Away+` to change its labels`)
	require.NoError(t, patch(other, `{"metadata": {"annotations": {"a": "b"}}}`)(), "the labels stay")
	require.NoError(t, patch(of, labels)())
}
