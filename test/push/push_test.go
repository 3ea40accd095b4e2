package push_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// hubID returns the identity of the hub.
func (p *pushing) hubID() string {
	p.T.Helper()
	object := namespaceOf("kube-system")
	require.NoError(p.T, p.Client.Get(p.T.Context(), client.ObjectKeyFromObject(object), object))
	return string(object.GetUID())
}

func TestCopiesFollowTheirSourceIntoOtherClusters(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	id := p.hubID()
	for _, member := range []*place{p.east, p.west} {
		copied := member.holds(source, "red")
		assert.Equal(t, id+"/ClusterProjection/"+rule.Name, copied.GetAnnotations()[v1.AnnotationOwnedByRemote])
		assert.Equal(t, string(rule.UID), copied.GetLabels()[v1.LabelOwnedByHubPrefix+id])
		for _, annotation := range []string{v1.AnnotationExportable, v1.AnnotationProjectable, v1.AnnotationOwnedByClusterProjection} {
			assert.NotContains(t, copied.GetAnnotations(), annotation)
		}
		assert.NotContains(t, copied.GetAnnotations()[v1.AnnotationSource], p.Home, "the other cluster does not learn what there is in the hub")
	}
	_, err := p.World.Get(source, p.Away, "settings")
	assert.True(t, client.IgnoreNotFound(err) == nil && err != nil, "the rule names no copy in its own cluster")

	p.Merge(source, `{"data": {"color": "blue"}}`)
	p.east.holds(source, "blue")
	p.west.holds(source, "blue")
	p.Ready(rule)
	require.NoError(t, p.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
	assert.Equal(t, &v1.ClusterCounts{Targeted: 2, InSync: 2}, rule.Status.Clusters)
	assert.Equal(t, int32(2), *rule.Status.NamespacesWritten)

	copied := p.east.holds(source, "blue")
	p.east.World.Merge(copied, `{"data": {"color": "green"}}`)
	p.east.holds(source, "blue")
	p.west.World.Delete(copied)
	p.west.holds(source, "blue")

	p.Delete(rule)
	p.World.Gone(rule)
	p.east.World.Gone(copied)
	p.west.World.Gone(copied)
}
