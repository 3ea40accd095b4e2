package push

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector"
)

// declaring is a cache with RemoteClusters, or one that does not answer.
type declaring struct {
	client.Client
	remotes []v1alpha1.RemoteCluster
	err     error
}

func (d *declaring) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if d.err != nil {
		return d.err
	}
	for i := range d.remotes {
		if into, ok := object.(*v1alpha1.RemoteCluster); ok && d.remotes[i].Name == key.Name {
			*into = d.remotes[i]
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: "remoteclusters"}, key.Name)
}

func (d *declaring) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if into, ok := list.(*v1alpha1.RemoteClusterList); ok {
		into.Items = d.remotes
	}
	return d.err
}

// hubID is the identity of the cluster of the rules.
const hubID = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"

func declared(remotes ...v1alpha1.RemoteCluster) (*Clusters, *declaring) {
	cache := &declaring{remotes: remotes}
	return &Clusters{
		ctx: context.Background(), options: Options{Client: cache, Hub: projector.Hub{ID: hubID, Identity: hubID}}, leaving: map[string]types.UID{},
		reports: map[types.NamespacedName]*reports{}, tended: newTended(),
	}, cache
}

func remoteNamed(name string) v1alpha1.RemoteCluster {
	return v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{"tier": "prod"}}}
}

func ruleInto(names ...string) rule {
	of := &v1.ClusterProjection{}
	of.Spec.Destination.Clusters = &v1.ClusterTargets{Names: names}
	return of
}

// TestWhatIsNotKnownIsNoReasonToDelete asks whether a rule copies into a cluster whose RemoteCluster is not known.
func TestWhatIsNotKnownIsNoReasonToDelete(t *testing.T) {
	c, cache := declared(remoteNamed("east"), remoteNamed("west"))
	isTarget, err := c.isTarget(ruleInto("east"), "east")
	require.NoError(t, err)
	assert.True(t, isTarget)
	isTarget, err = c.isTarget(ruleInto("east"), "west")
	require.NoError(t, err)
	assert.False(t, isTarget)

	var stopped *plan.Error
	_, err = c.isTarget(ruleInto("east"), "north")
	require.ErrorAs(t, err, &stopped)
	assert.Equal(t, v1.ReasonClusterNotFound, stopped.Reason)
	cache.err = assert.AnError
	_, err = c.isTarget(ruleInto("east"), "east")
	require.ErrorIs(t, err, assert.AnError)
	require.ErrorAs(t, err, &stopped)
	assert.Equal(t, policy.CopiesKept, stopped.Copies)
	_, err = c.HubScope(ruleInto("east"))
	require.ErrorIs(t, err, assert.AnError)
}

// TestScopeNamesNamespaces has a RemoteCluster permit copies in one namespace.
func TestScopeNamesNamespaces(t *testing.T) {
	narrow := remoteNamed("east")
	narrow.Spec.Scope.Namespaces = []string{"shop"}
	c, _ := declared(narrow)
	scope, err := c.scopeOf(ruleInto("east"), "east")
	require.NoError(t, err)
	assert.Empty(t, scope.Excludes("shop"))
	assert.Contains(t, scope.Excludes("pay"), "the RemoteCluster east does not permit copies in the namespace")
}
