package push_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env/fixture"
)

// TestSelectorFollowsClusters changes the labels of clusters, and which of them a rule selects.
func TestSelectorFollowsClusters(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source, func(rule *v1.ClusterProjection) {
		rule.Spec.Destination.Clusters = &v1.ClusterTargets{Selector: &v1.ClusterSelector{MatchLabels: map[string]v1.LabelValue{"tier": "prod"}}}
	})
	p.Ready(rule)
	p.both(source, "red")
	for range 3 {
		p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Labels = nil })
		p.east.lacks(source)
		p.Ready(rule)
		p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Labels = map[string]string{"tier": "prod"} })
		p.east.holds(source, "red")
		p.Ready(rule)
	}
	p.Merge(rule, `{"spec": {"destination": {"clusters": {"except": ["west"]}}}}`)
	p.west.lacks(source)
	p.Ready(rule)
	assert.Equal(t, &v1.ClusterCounts{Targeted: 1, InSync: 1}, rule.Status.Clusters)
	p.Eventually(rule, func() bool {
		require.NoError(t, p.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
		return !strings.Contains(rule.Annotations[v1.AnnotationWrittenClusters], "west")
	}, "the rule records a cluster in which nothing is left")
	p.Merge(rule, `{"spec": {"destination": {"clusters": {"selector": {"matchLabels": {"tier": "none"}}, "except": null}}}}`)
	p.east.lacks(source)
	condition := p.Says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonNoMatchingNamespaces)
	assert.Contains(t, condition.Message, "no RemoteCluster matches destination.clusters")
	p.Merge(rule, `{"spec": {"destination": {"clusters": {"selector": {"matchLabels": {"tier": "prod"}}}}}}`)
	p.both(source, "red")
	p.Ready(rule)
}

// TestClusterIsLabelledAndNotInTurn changes the label of a cluster many times, and does not wait in between.
func TestClusterIsLabelledAndNotInTurn(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source, func(rule *v1.ClusterProjection) {
		rule.Spec.Destination.Clusters = &v1.ClusterTargets{Selector: &v1.ClusterSelector{MatchLabels: map[string]v1.LabelValue{"tier": "prod"}}}
	})
	p.Ready(rule)
	for range 10 {
		p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Labels = nil })
		p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Labels = map[string]string{"tier": "prod"} })
	}
	p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Labels = nil })
	p.east.lacks(source)
	p.Eventually(rule, func() bool {
		require.NoError(t, p.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
		return rule.Status.Clusters != nil && rule.Status.Clusters.Targeted == 1 && rule.Status.Clusters.InSync == 1
	}, "the rule does not settle")
	p.east.lacks(source)
	p.west.holds(source, "red")
}

// TestNameOfTheCopyChanges has the new copy be written before the old one goes, in each cluster.
func TestNameOfTheCopyChanges(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	atEast, atWest := fixture.Mark(t, east), fixture.Mark(t, west)
	p.Merge(rule, `{"spec": {"destination": {"name": "renamed"}}}`)
	renamed := source.DeepCopy()
	renamed.SetName("renamed")
	p.both(renamed, "red")
	p.Ready(rule)
	for _, member := range p.pair() {
		member.lacks(source)
		mark := atEast
		if member == p.west {
			mark = atWest
		}
		var order []string
		for _, request := range fixture.RequestsSince(t, member.Cluster, mark, "projection-hub") {
			if request.Verb == "patch" && request.Resource == "configmaps" || request.Verb == "delete" {
				order = append(order, request.Verb+" "+request.Name)
			}
		}
		assert.Equal(t, []string{"patch renamed", "delete settings"}, order)
	}
}

// TestRuleMovesBetweenClusters has a rule copy into its own cluster, then into others, and back.
func TestRuleMovesBetweenClusters(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source, func(rule *v1.ClusterProjection) { rule.Spec.Destination.Clusters = nil })
	p.Ready(rule)
	here := &place{World: p.World, namespace: p.Away}
	here.holds(source, "red")
	for range 2 {
		p.Merge(rule, `{"spec": {"destination": {"clusters": {"names": ["east"]}}}}`)
		p.east.holds(source, "red")
		here.lacks(source)
		p.Ready(rule)
		p.Merge(rule, `{"spec": {"destination": {"clusters": null}}}`)
		here.holds(source, "red")
		p.east.lacks(source)
		p.Ready(rule)
		p.Eventually(rule, func() bool {
			require.NoError(t, p.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
			return rule.Annotations[v1.AnnotationWrittenClusters] == ""
		}, "the rule records a cluster in which nothing is left")
		assert.Nil(t, rule.Status.Clusters)
	}
}
