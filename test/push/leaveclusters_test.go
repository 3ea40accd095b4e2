package push_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/remotes"
)

func TestRemoteClusterGoes(t *testing.T) {
	for name, policy := range map[string]v1alpha1.DeletionPolicy{"Delete": "", "Orphan": v1alpha1.DeletionOrphan} {
		t.Run(name+", reachable", func(t *testing.T) {
			p := newPushing(t)
			source, rule, copied := p.leaving(policy)
			p.east.Remote.Delete()
			p.ends(p.east.Remote)
			p.isEnded(policy, source, copied)
			assert.NotContains(t, p.recorded(rule), "east=")
			p.west.holds(source, "red")
		})
		t.Run(name+", away", func(t *testing.T) {
			p := newPushing(t)
			source, rule, copied := p.leaving(policy)
			p.away(p.east)
			p.east.Remote.Delete()
			p.says(p.east.Remote, func(now *v1alpha1.RemoteCluster) bool {
				ready := meta.FindStatusCondition(now.Status.Conditions, v1alpha1.ConditionReady)
				return ready.Reason == v1alpha1.ReasonDeleting && isHeld(now)
			}, "it waits")
			ready := meta.FindStatusCondition(p.east.Remote.Get().Status.Conditions, v1alpha1.ConditionReady)
			assert.Contains(t, ready.Message, "kubectl projection abandon clusterprojection/"+rule.Name+" --cluster east")
			p.east.heal()
			p.ends(p.east.Remote)
			p.isEnded(policy, source, copied)
			assert.NotContains(t, p.recorded(rule), "east=")
		})
	}
}

// leaving has a rule copy into all clusters that are labelled, so that the copy in the east is there.
func (p *pushing) leaving(policy v1alpha1.DeletionPolicy) (source *unstructured.Unstructured, rule *v1.ClusterProjection, copied *unstructured.Unstructured) {
	p.T.Helper()
	p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec.DeletionPolicy = policy })
	source = p.World.Create(consenting)
	rule = p.push(source, selecting)
	p.Ready(rule)
	return source, rule, p.east.holds(source, "red")
}

// selecting has a rule copy into the clusters by their label.
func selecting(rule *v1.ClusterProjection) {
	rule.Spec.Destination.Clusters = &v1.ClusterTargets{Selector: &v1.ClusterSelector{MatchLabels: map[string]string{"tier": "prod"}}}
}

func (p *pushing) recorded(rule *v1.ClusterProjection) string {
	p.T.Helper()
	now := &v1.ClusterProjection{}
	require.NoError(p.T, p.Client.Get(p.T.Context(), client.ObjectKeyFromObject(rule), now))
	return now.Annotations[v1.AnnotationWrittenClusters]
}

// isEnded checks what has become of the copy in the east.
func (p *pushing) isEnded(policy v1alpha1.DeletionPolicy, source, copied *unstructured.Unstructured) {
	p.T.Helper()
	if policy != v1alpha1.DeletionOrphan {
		p.east.World.Gone(copied)
		return
	}
	now, err := p.east.World.Get(source, p.Away, "settings")
	require.NoError(p.T, err)
	assert.Equal(p.T, copied.GetUID(), now.GetUID())
	for key := range now.GetAnnotations() {
		assert.NotContains(p.T, key, v1.Domain+"/owned")
	}
	assert.Empty(p.T, now.GetLabels())
	assert.Equal(p.T, source.Object["data"], now.Object["data"])
	p.T.Cleanup(func() { _ = p.east.World.Client.Delete(context.Background(), now) })
}

func TestRemoteClusterThatIsAwayGoesInTheEnd(t *testing.T) {
	p := newPushing(t)
	p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec.Absence.ReleaseAfterSeconds = 8 })
	_, rule, copied := p.leaving("")
	p.away(p.east)
	p.east.Remote.Delete()
	p.ends(p.east.Remote)
	p.event(rule.Name, v1.ReasonCopiesGivenUp, "leaves the copies there as they are")
	assert.NotContains(t, p.recorded(rule), "east=")
	p.Ready(rule)
	now, err := p.east.World.Get(copied, p.Away, "settings")
	require.NoError(t, err)
	assert.Equal(t, copied.GetResourceVersion(), now.GetResourceVersion())
}

func TestRemoteClusterThatIsAwayGoesWhenItsRulesAreAbandoned(t *testing.T) {
	p := newPushing(t)
	_, rule, _ := p.leaving("")
	p.away(p.east)
	p.east.Remote.Delete()
	p.says(p.east.Remote, func(now *v1alpha1.RemoteCluster) bool { return now.DeletionTimestamp != nil }, "it waits")
	p.abandonEast(rule)
	p.ends(p.east.Remote)
}

// TestRemoteClusterIsTouched has a RemoteCluster deleted behind the back of the operator, and made again at once.
func TestRemoteClusterIsTouched(t *testing.T) {
	for _, name := range []string{"east", "orient"} {
		t.Run(name, func(t *testing.T) {
			p := newPushing(t)
			source, rule, copied := p.leaving("")
			p.says(p.east.Remote, func(now *v1alpha1.RemoteCluster) bool { return now.Status.Copies == 1 }, "it is counted")
			spec := p.east.Remote.Get().Spec
			asked := fixture.ReceivedDuring(t, east, remotes.User, func() {
				p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Finalizers = nil })
				p.east.Remote.Delete()
				p.ends(p.east.Remote)
				again := *p.east.Remote
				again.Name = name
				again.Create(func(remote *v1alpha1.RemoteCluster) {
					remote.Spec, remote.Labels = spec, map[string]string{"tier": "prod"}
				})
				p.says(&again, func(now *v1alpha1.RemoteCluster) bool {
					return isHeld(now) && now.Status.Rules == 1 && now.Status.Copies == 1
				}, "it is used again")
				if name != "east" {
					require.EventuallyWithT(t, func(c *assert.CollectT) { assert.NotContains(c, p.recorded(rule), "east=") }, env.Timeout, env.Interval)
				}
			})
			assert.NotEmpty(t, asked)
			for _, request := range asked {
				isRead := slices.Contains([]string{"get", "list", "watch"}, request.Verb)
				assert.True(t, isRead || request.Namespace != p.Away, "%s %s", request.Verb, request.Resource)
			}
			now := p.east.holds(source, "red")
			assert.Equal(t, copied.GetResourceVersion(), now.GetResourceVersion())
		})
	}
}
