package push_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/remotes"
)

// here is a RemoteCluster that is the hub itself, and a rule that copies into it by its label.
type here struct {
	*pushing
	*place

	source *unstructured.Unstructured
	rule   *v1.ClusterProjection
	copied *unstructured.Unstructured
}

func newHere(t *testing.T, policy v1alpha1.DeletionPolicy) *here {
	t.Helper()
	h := &here{pushing: &pushing{World: fixture.New(t, hub.Config)}}
	h.place = &place{World: h.pushing.World, namespace: h.pushing.Away, Remote: &remotes.Remote{}}
	h.east = &place{World: h.pushing.World, namespace: h.pushing.Away, Remote: remotes.Declare(t, hub, east, "east")}
	own := *h.east.Remote
	own.Name = "here"
	own.Create(func(remote *v1alpha1.RemoteCluster) {
		remote.Labels = map[string]string{"tier": "hub"}
		remote.Spec = v1alpha1.RemoteClusterSpec{Access: v1alpha1.ClusterAccess{InCluster: &v1alpha1.InClusterAccess{}}, DeletionPolicy: policy}
	})
	h.place.Remote = &own
	h.source = h.pushing.World.Create(consenting)
	h.rule = h.push(h.source, func(rule *v1.ClusterProjection) {
		rule.Spec.Destination.Clusters = &v1.ClusterTargets{Selector: &v1.ClusterSelector{MatchLabels: map[string]v1.LabelValue{"tier": "hub"}}}
	})
	h.pushing.Ready(h.rule)
	h.copied = h.holds(h.source, "red")
	assert.True(t, isHeld(own.Get()))
	return h
}

// remains checks that the copy is as it was written.
func (h *here) remains() {
	t := h.pushing.T
	t.Helper()
	h.pushing.Settles(hub, operatorUser)
	now, err := h.pushing.Get(h.source, h.namespace, "settings")
	require.NoError(t, err)
	assert.Equal(t, h.copied.GetResourceVersion(), now.GetResourceVersion())
}

// TestRemoteClusterOfTheHubGoes deletes the RemoteCluster by which a rule copies into its own cluster.
func TestRemoteClusterOfTheHubGoes(t *testing.T) {
	t.Run("Delete", func(t *testing.T) {
		h := newHere(t, v1alpha1.DeletionDelete)
		h.Remote.Delete()
		h.lacks(h.source)
		h.ends(h.Remote)
		assert.Empty(t, h.recorded(h.rule))
	})
	t.Run("Orphan", func(t *testing.T) {
		h := newHere(t, v1alpha1.DeletionOrphan)
		h.Remote.Delete()
		h.ends(h.Remote)
		now, err := h.pushing.Get(h.source, h.namespace, "settings")
		require.NoError(t, err)
		assert.Equal(t, h.copied.GetUID(), now.GetUID())
		assert.Empty(t, now.GetLabels())
		assert.Empty(t, now.GetAnnotations()[v1.AnnotationOwnedByClusterProjection])
		t.Cleanup(func() { _ = h.pushing.Client.Delete(context.Background(), now) })
	})
}

// TestRemoteClusterOfTheHubVanishes deletes the RemoteCluster behind the back of the operator. The copies stay until it is there again.
func TestRemoteClusterOfTheHubVanishes(t *testing.T) {
	h := newHere(t, v1alpha1.DeletionDelete)
	h.Remote.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Finalizers = nil })
	h.Remote.Delete()
	h.ends(h.Remote)
	h.pushing.Says(h.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonClusterNotFound)
	h.remains()
}

// TestRemoteClusterOfTheHubDecidesWhatIsWritten narrows what it permits.
func TestRemoteClusterOfTheHubDecidesWhatIsWritten(t *testing.T) {
	h := newHere(t, v1alpha1.DeletionDelete)
	for color, narrow := range map[string]func(*v1alpha1.RemoteClusterSpec){
		"blue":  func(spec *v1alpha1.RemoteClusterSpec) { spec.Paused = true },
		"green": func(spec *v1alpha1.RemoteClusterSpec) { spec.Scope.Kinds = []v1alpha1.ScopeKind{"Secret"} },
	} {
		h.Remote.Edit(func(remote *v1alpha1.RemoteCluster) { narrow(&remote.Spec) })
		h.pushing.Says(h.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonClusterNotPermitted)
		h.pushing.Merge(h.source, `{"data": {"color": "`+color+`"}}`)
		h.remains()
		h.Remote.Edit(func(remote *v1alpha1.RemoteCluster) {
			remote.Spec.Paused, remote.Spec.Scope = false, v1alpha1.ClusterScope{}
		})
		h.copied = h.holds(h.source, color)
		h.pushing.Ready(h.rule)
	}
	h.Remote.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec.Scope.Kinds = []v1alpha1.ScopeKind{"Secret"} })
	h.pushing.Says(h.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonClusterNotPermitted)
	h.pushing.Merge(h.source, `{"metadata": {"annotations": {"projection.sh/projectable": "false"}}}`)
	h.lacks(h.source)
}
