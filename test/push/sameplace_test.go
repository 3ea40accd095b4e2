package push_test

import (
	"testing"

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
