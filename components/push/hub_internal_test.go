package push

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/projector"
)

// TestRemoteClustersThatAreTheHub asks by what a rule copies into its own cluster.
func TestRemoteClustersThatAreTheHub(t *testing.T) {
	here := remoteNamed("here")
	here.Spec.Access.InCluster = &v1alpha1.InClusterAccess{}
	pausedHere, narrow, leaving := *here.DeepCopy(), *here.DeepCopy(), *here.DeepCopy()
	pausedHere.Spec.Paused = true
	narrow.Spec.Scope = v1alpha1.ClusterScope{Kinds: []v1alpha1.ScopeKind{"Secret"}, Namespaces: []string{"shop"}}
	leaving.Spec.DeletionPolicy, leaving.DeletionTimestamp = v1alpha1.DeletionOrphan, new(metav1.Now())
	for name, test := range map[string]struct {
		remotes        []v1alpha1.RemoteCluster
		into           []string
		records        string
		hub            projector.HubCluster
		isTarget       bool
		err, forbidden string
	}{
		"named": {
			remotes: []v1alpha1.RemoteCluster{here}, into: []string{"here"}, hub: projector.HubCluster{Names: []string{"here"}}, isTarget: true,
		},
		"not named":                  {remotes: []v1alpha1.RemoteCluster{here}, into: []string{"east"}},
		"named no longer":            {remotes: []v1alpha1.RemoteCluster{here}, into: []string{"east"}, records: "here=" + hubID},
		"vanished":                   {into: []string{"here"}, records: "here=" + hubID, err: v1.ReasonClusterNotFound},
		"vanished, and not recorded": {into: []string{"here"}},
		"vanished, and not named":    {into: []string{"east"}, records: "here=" + hubID},
		"another cluster vanished":   {into: []string{"east"}, records: "east=1"},
		"leaves": {
			remotes: []v1alpha1.RemoteCluster{leaving}, into: []string{"here"}, records: "here=" + hubID, hub: projector.HubCluster{Leaves: projector.Orphans},
		},
		"paused": {
			remotes: []v1alpha1.RemoteCluster{pausedHere}, into: []string{"here"}, hub: projector.HubCluster{Names: []string{"here"}}, isTarget: true,
			err: v1.ReasonClusterNotPermitted,
		},
		"paused, and named no longer": {
			remotes: []v1alpha1.RemoteCluster{pausedHere}, into: []string{"east"}, records: "here=" + hubID, err: v1.ReasonClusterNotPermitted,
		},
		"another kind": {
			remotes: []v1alpha1.RemoteCluster{narrow}, into: []string{"here"}, hub: projector.HubCluster{Names: []string{"here"}}, isTarget: true,
			forbidden: v1.ReasonClusterNotPermitted,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := declared(test.remotes...)
			c.noteLeaving("here", "here")
			of := ruleInto(test.into...)
			of.Annotations = map[string]string{v1.AnnotationWrittenClusters: test.records}
			of.Spec.Source.Kind = "ConfigMap"
			hub, err := c.Hub(t.Context(), of)
			require.NoError(t, err)
			if hub.Err != nil {
				assert.Equal(t, test.err, hub.Err.Reason)
			}
			if hub.Forbidden != nil {
				assert.Equal(t, test.forbidden, hub.Forbidden.Reason)
			}
			assert.Equal(t, test.err != "", hub.Err != nil)
			assert.Equal(t, test.forbidden != "", hub.Forbidden != nil)
			hub.Err, hub.Forbidden = nil, nil
			assert.Equal(t, test.hub, hub)
			scope, err := c.HubScope(of)
			assert.Equal(t, test.err == v1.ReasonClusterNotFound, err != nil)
			assert.Equal(t, test.isTarget, scope.IsTarget)
			if test.forbidden != "" {
				assert.NotEmpty(t, scope.Excludes("pay"))
			}
		})
	}
}
