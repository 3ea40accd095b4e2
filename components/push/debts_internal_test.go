package push

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/metrics"
)

// ruled is a cache with one rule besides.
type ruled struct {
	*declaring
	rule rule
}

func (r ruled) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	if into, ok := object.(*v1.ClusterProjection); ok {
		*into = *r.rule
		return nil
	}
	return r.declaring.Get(ctx, key, object, options...)
}

// TestWhoTakesCopiesOver has a rule have the name of the one that has left copies in a cluster.
func TestWhoTakesCopiesOver(t *testing.T) {
	debt := v1alpha1.OwedCopies{UID: "1", Rule: "ClusterProjection/rule", Kinds: []string{"Secret"}}
	for name, test := range map[string]struct {
		change func(rule)
		takes  bool
	}{
		"another one": {func(rule) {}, true},
		"another one, and records it": {func(of rule) {
			of.Spec.Destination.Clusters, of.Annotations = nil, map[string]string{v1.AnnotationWrittenClusters: "east=1"}
		}, true},
		"another one, into another cluster": {func(of rule) { of.Spec.Destination.Clusters.Names = []string{"west"} }, false},
		"another one, being deleted":        {func(of rule) { of.DeletionTimestamp = new(metav1.Now()) }, false},
		"the same":                          {func(of rule) { of.UID = "1" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			c, cache := declared(remoteNamed("east"), remoteNamed("west"))
			of := ruleInto("east")
			of.Name, of.UID = "rule", "2"
			test.change(of)
			c.options.Client = ruled{cache, of}
			takes, err := c.isTakenOver(t.Context(), "east", debt)
			require.NoError(t, err)
			assert.Equal(t, test.takes, takes)
		})
	}
}

// TestDebtsOfAnotherCluster has a RemoteCluster stand for another cluster than before.
func TestDebtsOfAnotherCluster(t *testing.T) {
	remote := remoteNamed("east")
	remote.Status.Identity = "2"
	remote.Status.Owed = []v1alpha1.OwedCopies{{UID: "1", Identity: "1"}}
	assert.False(t, owesHere(&remote), "they are in the former cluster")
	remote.Status.Owed = append(remote.Status.Owed, v1alpha1.OwedCopies{UID: "2", Identity: "2"})
	assert.True(t, owesHere(&remote))
	remote.Status.Owed = []v1alpha1.OwedCopies{{UID: "3"}}
	assert.True(t, owesHere(&remote), "noted by an earlier version")
}

// TestPanicWhileAClusterIsTended has what tends a cluster panic.
func TestPanicWhileAClusterIsTended(t *testing.T) {
	measured, err := metrics.New(prometheus.NewRegistry())
	require.NoError(t, err)
	c, _ := declared()
	c.metrics = measured
	require.ErrorIs(t, c.catchPanic(func() error { panic("a bug") }), errPanic)
	require.NoError(t, c.catchPanic(func() error { return nil }))
}
