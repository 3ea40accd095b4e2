package push

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/projector"
)

func gathering(names ...string) (*Clusters, *testclock.FakeClock, rule) {
	clock := testclock.NewFakeClock(time.Now())
	c := &Clusters{options: Options{Clock: clock}, rules: &rules{}, branches: map[string]*branch{}, reports: map[types.NamespacedName]*reports{},
		tended: newTended(),
	}
	for _, name := range names {
		c.branches[name] = &branch{name: name}
	}
	return c, clock, &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: "rule", UID: "1", Generation: 1}}
}

var key = types.NamespacedName{Name: "rule"}

// TestReportsAreGathered has two branches be asked. The rule is reconciled when both have reported, or some time after the first has.
func TestReportsAreGathered(t *testing.T) {
	c, clock, of := gathering("east", "west")
	for name := range c.branches {
		assert.False(t, c.isAsked(key, name, versionOf(of, name)))
		assert.True(t, c.isAsked(key, name, versionOf(of, name)), "once is enough")
	}
	isDue := func() bool { return !c.reports[key].reconcileAt.IsZero() }
	c.report(c.branches["east"], of, projector.Report{Rule: "1", Generation: 1})
	assert.True(t, isDue())
	assert.True(t, clock.HasWaiters())
	c.report(c.branches["west"], of, projector.Report{Rule: "1", Generation: 1})
	assert.False(t, isDue(), "all have reported")

	of.Generation = 2
	for name := range c.branches {
		assert.False(t, c.isAsked(key, name, versionOf(of, name)), "it was changed")
	}
	c.report(c.branches["east"], of, projector.Report{Rule: "1", Generation: 2})
	assert.True(t, isDue())
	c.reconcileDue(key)
	assert.True(t, isDue(), "it is not time yet")
	clock.SetTime(clock.Now().Add(gatherTime))
	c.reconcileDue(key)
	assert.False(t, isDue(), "the other one takes long")
}

// TestRuleWithManyClustersIsReconciledSeldom has 100 clusters change one after the other, and report.
func TestRuleWithManyClustersIsReconciledSeldom(t *testing.T) {
	const clusters = 100
	var names []string
	for i := range clusters {
		names = append(names, strconv.Itoa(i))
	}
	c, clock, of := gathering(names...)
	reconciles, before := 0, time.Time{}
	look := func() {
		if notBefore := c.reports[key].notBefore; notBefore != before {
			reconciles, before = reconciles+1, notBefore
		}
	}
	began := clock.Now()
	for _, name := range names {
		c.isAsked(key, name, versionOf(of, name))
		c.noteClusters(of, clusters)
		c.clusterChanged(key)
		look()
		clock.SetTime(clock.Now().Add(pauseTime))
		c.reconcileDue(key)
		look()
		delete(c.reports[key].due, name) // nobody waits for it
		c.report(c.branches[name], of, projector.Report{Rule: "1", Generation: 1})
		look()
	}
	assert.Equal(t, clusters*pauseTime, clock.Since(began))
	assert.Equal(t, 2, reconciles, "the first, and when the pause is over")
	assert.False(t, c.reports[key].reconcileAt.IsZero(), "the last one counts, too")
	clock.SetTime(clock.Now().Add(clusters * pauseTime))
	c.reconcileDue(key)
	assert.True(t, c.reports[key].reconcileAt.IsZero())
	c.clusterChanged(key)
	assert.False(t, c.reports[key].reconcileAt.IsZero())
	clock.SetTime(clock.Now().Add(clusters * pauseTime))
	c.reconcileDue(key)
	clock.SetTime(clock.Now().Add(clusters * pauseTime))
	c.clusterChanged(key)
	assert.True(t, c.reports[key].reconcileAt.IsZero(), "at once, when nothing has happened for a while")
}

// TestReportThatDoesNotHold has reports not be known of a branch that has ended, and of a cluster that the rule records anew.
func TestReportThatDoesNotHold(t *testing.T) {
	c, _, of := gathering("east")
	former := c.branches["east"]
	c.isAsked(key, "east", versionOf(of, "east"))
	c.report(former, of, projector.Report{Rule: "1", IsClear: true})
	_, found := c.Reported(key, "east")
	assert.True(t, found)
	c.Renew(key, "east")
	_, found = c.Reported(key, "east")
	assert.False(t, found, "there may be copies again")
	assert.False(t, c.isAsked(key, "east", versionOf(of, "east")), "there are to be copies again")

	c.branches["east"] = &branch{name: "east"}
	c.report(former, of, projector.Report{Rule: "1", IsClear: true})
	_, found = c.Reported(key, "east")
	assert.False(t, found, "the branch has ended")
}

// TestFailuresOfManyClusters has no more failures be told than there is room for, and all be counted.
func TestFailuresOfManyClusters(t *testing.T) {
	_, _, of := gathering()
	of.Spec.Destination.Clusters = &v1.ClusterTargets{}
	var states []projector.ClusterState[rule]
	for i := range v1.MaxClusterFailures {
		reported := &v1.ClusterProjection{}
		reported.Status.Conditions = []metav1.Condition{{
			Type: v1.ConditionDestinationWritten, Status: metav1.ConditionFalse, Reason: v1.ReasonDestinationConflict, Message: "it is taken",
		}}
		for namespace := range 2 {
			reported.Status.Failures = append(reported.Status.Failures, v1.NamespaceFailure{Namespace: strconv.Itoa(namespace), Reason: v1.ReasonDestinationConflict})
		}
		reported.Status.NamespacesTargeted, reported.Status.NamespacesFailed = new(int32(3)), new(int32(2))
		reported.Status.FailureReasons = []v1.ReasonCount{{Reason: v1.ReasonDestinationConflict, Count: 2}}
		states = append(states, projector.ClusterState[rule]{
			DestinationCluster: projector.DestinationCluster{Name: fmt.Sprintf("c%02d", i)}, Reported: &projector.ClusterReport[rule]{Status: reported},
		})
	}
	(&Clusters{}).Report(of, states, true, func(string) bool { return true })
	for range 2 { // of reconciles that do not count anew
		of.Status.Clusters, of.Status.ClusterFailures = nil, nil
		(&Clusters{}).Report(of, states, false, func(string) bool { return true })
	}
	assert.Len(t, of.Status.ClusterFailures, v1.MaxClusterFailures)
	assert.Equal(t, &v1.ClusterCounts{Targeted: v1.MaxClusterFailures, Failed: v1.MaxClusterFailures}, of.Status.Clusters)
	assert.Equal(t, int32(3*v1.MaxClusterFailures), *of.Status.NamespacesTargeted)
	assert.Equal(t, int32(2*v1.MaxClusterFailures), *of.Status.NamespacesFailed)
	assert.Equal(t, []v1.ReasonCount{{Reason: v1.ReasonDestinationConflict, Count: 2 * v1.MaxClusterFailures}}, of.Status.FailureReasons)
}

// TestRecordIsRemovedOnlyOfABranchThatDoesNotWrite has a branch write before the rule removes its record of the cluster, and after it has.
func TestRecordIsRemovedOnlyOfABranchThatDoesNotWrite(t *testing.T) {
	c, _, of := gathering("east")
	east := c.branches["east"]
	of.Annotations = map[string]string{v1.AnnotationWrittenClusters: "east=1"}
	isClear := projector.Report{Rule: "1", Generation: 1, IsClear: true}
	assert.False(t, c.Unrecord(of, "east"), "nothing is reported")
	c.report(east, of, isClear)
	assert.True(t, c.mayWrite(east, key))
	assert.False(t, c.Unrecord(of, "east"), "the branch has begun to write since")

	c.report(east, of, isClear)
	assert.True(t, c.Unrecord(of, "east"))
	assert.False(t, c.mayWrite(east, key))
	unrecorded := of.DeepCopy()
	delete(unrecorded.Annotations, v1.AnnotationWrittenClusters)
	c.isAsked(key, "east", versionOf(unrecorded, "east"))
	assert.False(t, c.mayWrite(east, key), "the rule does not record the cluster")
	assert.False(t, c.isAsked(key, "east", versionOf(of, "east")))
	assert.True(t, c.mayWrite(east, key), "the rule records the cluster again")
	assert.False(t, c.mayWrite(&branch{name: "east"}, key), "a branch that has ended")

	c.report(east, of, isClear)
	changed := of.DeepCopy()
	changed.Generation = 2
	assert.False(t, c.Unrecord(changed, "east"), "of the rule as it was")
}
