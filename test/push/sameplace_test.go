package push_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// TestCopiesMayHaveThePlaceOfTheSource copies an object to the place in other clusters that it has in the hub. One rule lists the namespace, one selects
// it, and one selects it and names the copies by an expression.
func TestCopiesMayHaveThePlaceOfTheSource(t *testing.T) {
	for name, choose := range map[string]func(*v1.ClusterProjectionDestination){
		"listed":   func(*v1.ClusterProjectionDestination) {},
		"selected": selectNamespaces,
		"named": func(to *v1.ClusterProjectionDestination) {
			selectNamespaces(to)
			to.NameExpression = "source.metadata.name"
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPushing(t)
			source := p.World.Create(consenting)
			for _, member := range p.pair() {
				member.OwnNamespace(p.Home)
				member.namespace = p.Home
			}
			rule := p.push(source, func(rule *v1.ClusterProjection) {
				to := &rule.Spec.Destination
				to.Namespaces = []v1.NamespaceName{p.Home}
				choose(to)
			})
			p.Ready(rule)
			p.both(source, "red")
			p.Merge(source, `{"data": {"color": "blue"}}`)
			p.both(source, "blue")
			p.Delete(rule)
			p.World.Gone(rule)
			p.east.lacks(source)
			p.west.lacks(source)
			p.Exists(source, p.Home, source.GetName(), func(*unstructured.Unstructured) bool { return true })
		})
	}
}

// selectNamespaces has the rule select by name what it lists.
func selectNamespaces(to *v1.ClusterProjectionDestination) {
	to.NamespaceSelector = &v1.NamespaceSelector{MatchLabels: map[string]v1.LabelValue{"kubernetes.io/metadata.name": to.Namespaces[0]}}
	to.Namespaces = nil
}

// TestLoopThroughClustersEnds has one rule copy from east into west, and another one from there back. Somebody makes the copy in west a source.
func TestLoopThroughClustersEnds(t *testing.T) {
	p := newPushing(t)
	origin := p.east.World.Namespace("origin", nil)
	source := p.east.World.Object(consenting)
	source.SetNamespace(origin)
	require.NoError(t, p.east.World.Client.Create(t.Context(), source))
	from := func(cluster, into v1.ClusterName, name string, namespaces ...v1.NamespaceName) func(*v1.ClusterProjection) {
		return func(rule *v1.ClusterProjection) {
			rule.Name += name
			rule.Spec.Source.Cluster = cluster
			rule.Spec.Destination.Clusters.Names, rule.Spec.Destination.Namespaces = []v1.ClusterName{into}, namespaces
		}
	}
	there := p.push(source, from("east", "west", "-there", p.Away))
	p.Ready(there)
	copied := p.west.holds(source, "red")
	p.west.World.Merge(copied, `{"metadata": {"annotations": {"projection.sh/projectable": "true", "projection.sh/exportable": "true"}}}`)

	back := p.push(copied, from("west", "east", "-back", p.Away, origin))
	p.Says(back, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	assert.Equal(t, int32(1), *back.Status.NamespacesFailed, "the source is in the place of one copy")
	p.east.holds(source, "red")
	p.east.World.Merge(source, `{"data": {"color": "blue"}}`)
	p.west.holds(source, "blue")
	p.east.holds(source, "blue")
	p.Settles(hub, operatorUser)
	now, err := p.east.World.Get(source, origin, "settings")
	require.NoError(t, err)
	assert.Empty(t, now.GetLabels(), "the source is as its owner left it")
}
