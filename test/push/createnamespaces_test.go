package push_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// TestNamespacesAreCreated has a rule create the namespace that one of the clusters lacks, and leave it there.
func TestNamespacesAreCreated(t *testing.T) {
	p := newPushing(t)
	missing := p.Away + "-missing"
	p.west.OwnNamespace(missing)
	source := p.World.Create(consenting)
	rule := p.push(source, func(rule *v1.ClusterProjection) {
		rule.Spec.Destination.Namespaces = []v1.NamespaceName{missing}
		rule.Spec.Destination.CreateNamespaces = v1.CreateNamespacesIfMissing
	})
	p.Ready(rule)
	for _, member := range []*place{p.east, p.west} {
		member.namespace = missing
		member.holds(source, "red")
	}
	label := v1.LabelOwnedByHubPrefix + p.hubID()
	assert.Contains(t, p.east.get(missing).GetLabels(), label)
	assert.NotContains(t, p.west.get(missing).GetLabels(), label, "it was there")

	p.Delete(rule)
	p.World.Gone(rule)
	assert.NotNil(t, p.east.get(missing), "namespaces are not deleted")
}

// get reads the namespace in the cluster.
func (p *place) get(namespace string) *unstructured.Unstructured {
	p.World.T.Helper()
	object := &unstructured.Unstructured{}
	object.SetAPIVersion("v1")
	object.SetKind("Namespace")
	require.NoError(p.World.T, p.Client.Get(p.World.T.Context(), types.NamespacedName{Name: namespace}, object))
	return object
}
