package cli

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

func remoteNamed(name, tier string) *v1alpha1.RemoteCluster {
	return &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"tier": tier}}}
}

func TestPlanNamesTheClusters(t *testing.T) {
	remotes := []*v1alpha1.RemoteCluster{remoteNamed("eu-1", "prod"), remoteNamed("eu-2", "prod"), remoteNamed("eu-3", "test")}
	into := func(clusters *v1.ClusterTargets, written string) access.Rule {
		rule := pushing("")
		rule.Object.SetAnnotations(map[string]string{v1.AnnotationWrittenClusters: written})
		rule.Clusters = clusters
		return rule
	}
	selecting := func(tier string) *v1.ClusterTargets {
		return &v1.ClusterTargets{Selector: &v1.ClusterSelector{MatchLabels: map[string]string{"tier": tier}}}
	}
	before := into(&v1.ClusterTargets{Names: []string{"eu-1"}}, "eu-0=a")
	for name, test := range map[string]struct {
		planned access.Planned
		notes   []string
	}{
		"a new rule": {access.Planned{Rule: into(selecting("prod"), "")}, []string{"copies into clusters, new: eu-1, eu-2"}},
		"of a changed rule": {access.Planned{Rule: into(&v1.ClusterTargets{Names: []string{"eu-1", "eu-3", "eu-9"}}, ""), Before: &before}, []string{
			"copies into clusters as before: eu-1", "copies into clusters, new: eu-3",
			"there is no RemoteCluster of the name, so that there is no copy until there is one: eu-9", "no longer copies into clusters, where its copies end: eu-0",
		}},
		"into this cluster": {access.Planned{Rule: into(nil, ""), Before: &before}, []string{"no longer copies into clusters, where its copies end: eu-0, eu-1"}},
		"into none":         {access.Planned{Rule: into(selecting("none"), "")}, []string{"destination.clusters.selector selects none of 3 RemoteClusters"}},
	} {
		assert.Equal(t, test.notes, clustersPlanned(test.planned, remotes), name)
	}
}

func TestGroupsOfClusters(t *testing.T) {
	remotes := []*v1alpha1.RemoteCluster{remoteNamed("eu-1", ""), remoteNamed("eu-2", ""), remoteNamed("eu-3", "")}
	all := &v1.ClusterTargets{Selector: &v1.ClusterSelector{}}
	own := remoteNamed("own", "")
	own.Spec.Access.InCluster = &v1alpha1.InClusterAccess{}
	unreached := v1.ClusterFailure{Cluster: "eu-1", Reason: v1.ReasonClusterUnreachable}
	for name, test := range map[string]struct {
		clusters *v1.ClusterTargets
		remotes  []*v1alpha1.RemoteCluster
		counts   *v1.ClusterCounts
		failures []v1.ClusterFailure
		groups   map[string]string
	}{
		"nothing is reported": {all, remotes, nil, nil, map[string]string{"eu-1": "waiting", "eu-2": "waiting", "eu-3": "waiting", "eu-0": "no longer wanted"}},
		"the others are in sync": {all, remotes, &v1.ClusterCounts{Targeted: 3, InSync: 2, Unreachable: 1}, []v1.ClusterFailure{unreached}, map[string]string{
			"eu-1": "not reached", "eu-2": "in sync", "eu-3": "in sync", "eu-0": "no longer wanted",
		}},
		"some of the others": {all, remotes, &v1.ClusterCounts{Targeted: 3, InSync: 1}, []v1.ClusterFailure{{Cluster: "eu-2", Namespace: "a"}}, map[string]string{
			"eu-1": "in sync or waiting", "eu-2": "failed", "eu-3": "in sync or waiting", "eu-0": "no longer wanted",
		}},
		"this cluster, too": {all, append(slices.Clone(remotes[1:]), own), &v1.ClusterCounts{Targeted: 2, InSync: 2}, nil, map[string]string{
			"eu-2": "in sync", "eu-3": "in sync", "own": "this cluster", "eu-0": "no longer wanted",
		}},
		"named": {&v1.ClusterTargets{Names: []string{"eu-0", "eu-9"}}, nil, &v1.ClusterCounts{Targeted: 2}, nil, map[string]string{"eu-0": "waiting", "eu-9": "waiting"}},
		"the caller may not list them": {all, nil, &v1.ClusterCounts{Targeted: 2, InSync: 2}, []v1.ClusterFailure{unreached}, map[string]string{
			"eu-1": "not reached", "eu-0": "in sync or waiting",
		}},
	} {
		rule := pushing("")
		rule.Clusters = test.clusters
		object := rule.Object.(*v1.ClusterProjection)
		object.Annotations = map[string]string{v1.AnnotationWrittenClusters: "eu-0=a"}
		object.Status.Clusters, object.Status.ClusterFailures = test.counts, test.failures
		groups := map[string]string{}
		for _, row := range clusterTiles(rule, infoOf(rule, access.Settings{}), test.remotes) {
			groups[row.Cells[0].Text] = row.Group
		}
		assert.Equal(t, test.groups, groups, name)
	}
}
