package projector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
)

func ruleWith(annotation, value string) *v1.ClusterProjection {
	return &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{annotation: value}}}
}

func TestRecordOfClusters(t *testing.T) {
	for value, wanted := range map[string]map[string]string{
		"":                      {},
		"east=1":                {"east": "1"},
		"east=1,west=2":         {"east": "1", "west": "2"},
		"east=1, west=2,":       {"east": "1", "west": "2"},
		"east,=2,west=,north=3": {"north": "3"},
		"east=1,east=2":         {"east": "2"},
		"east=1,east=":          {"east": "1"},
		"east-1=east,east=east": {"east-1": "east", "east": "east"},
		"north-east=1":          {"north-east": "1"},
	} {
		rule := ruleWith(v1.AnnotationWrittenClusters, value)
		assert.Equal(t, wanted, recordedClusters(rule), value)
		for _, name := range []string{"east", "west", "north", "east-1", "north-east", "1"} {
			assert.Equal(t, wanted[name], RecordedIdentity(rule, name), "%s of %q", name, value)
		}
	}
	assert.Empty(t, recordedClusters(&v1.ClusterProjection{}))
	assert.Empty(t, formatClusters(nil))
	assert.Equal(t, "east=1,west=2", formatClusters(map[string]string{"west": "2", "east": "1"}))
}

func TestClustersThatSomebodyGivesUp(t *testing.T) {
	given := abandoned(ruleWith(v1.AnnotationAbandon, "east, west"))
	assert.True(t, given.HasAll("east", "west"))
	assert.False(t, given.Has("north"))
}

func unreachable(name string) DestinationCluster {
	return DestinationCluster{Name: name, IsTarget: true, Err: &plan.Error{
		Condition: v1.ConditionDestinationWritten,
		Problem:   policy.Problem{Reason: v1.ReasonClusterUnreachable, Message: "the cluster " + name + " cannot be reached"},
	}}
}

func TestWhatADeletedRuleWaitsFor(t *testing.T) {
	for name, test := range map[string]struct {
		clusters []DestinationCluster
		after    time.Duration
		problems []policy.Problem
		reason   string
		message  string
		again    time.Duration
	}{
		"for deletions": {
			clusters: []DestinationCluster{{Name: "east"}, {Name: "west"}}, reason: v1.ReasonDestinationWriteInProgress,
			message: "the rule is being deleted, and waits until its copies in the clusters east, west are deleted",
		},
		"for one that cannot be reached": {
			clusters: []DestinationCluster{{Name: "east"}, unreachable("west")}, after: time.Minute, reason: v1.ReasonClusterUnreachable,
			message: "the rule is being deleted, and waits for the cluster west to delete its copies there: the cluster west cannot be reached", again: time.Minute,
		},
		"for one that reports a problem": {
			clusters: []DestinationCluster{{Name: "east"}}, problems: []policy.Problem{{Reason: v1.ReasonDestinationWriteFailed, Message: "in the cluster east"}},
			reason: v1.ReasonDestinationWriteFailed, message: "in the cluster east",
		},
	} {
		var waits waiting
		for _, cluster := range test.clusters {
			waits.add(cluster, false, test.after)
		}
		var stopped *plan.Error
		require.ErrorAs(t, waits.err(test.problems), &stopped, name)
		assert.Equal(t, test.reason, stopped.Reason, name)
		assert.Equal(t, test.message, stopped.Message, name)
		assert.Equal(t, test.again, stopped.RequeueAfter, name)
	}
}

// reportedState is the state of a cluster whose branch has reported the condition.
func reportedState(name, reason, message string) ClusterState[*v1.ClusterProjection] {
	status := metav1.ConditionFalse
	if reason == v1.ReasonProjected {
		status = metav1.ConditionTrue
	}
	of := &v1.ClusterProjection{}
	of.Status.Conditions = []metav1.Condition{{Type: v1.ConditionDestinationWritten, Status: status, Reason: reason, Message: message}}
	return ClusterState[*v1.ClusterProjection]{
		DestinationCluster: DestinationCluster{Name: name}, Reported: &ClusterReport[*v1.ClusterProjection]{Status: of},
	}
}

func TestSummaryOfClusters(t *testing.T) {
	type states = []ClusterState[*v1.ClusterProjection]
	inSync, conflict := reportedState("a", v1.ReasonProjected, ""), reportedState("b", v1.ReasonDestinationConflict, "it is taken")
	away := ClusterState[*v1.ClusterProjection]{DestinationCluster: unreachable("c")}
	held := reportedState("e", v1.ReasonSuspended, "suspended: would create 1")
	silent := ClusterState[*v1.ClusterProjection]{DestinationCluster: DestinationCluster{Name: "d"}}
	for name, test := range map[string]struct {
		states          states
		reason, message string
	}{
		"all in sync":           {states{inSync}, "", ""},
		"one that failed":       {states{conflict}, v1.ReasonDestinationConflict, "in the cluster b, it is taken"},
		"one of two":            {states{inSync, conflict}, v1.ReasonDestinationConflict, "1 of 2 clusters failed: in the cluster b, it is taken"},
		"two reasons":           {states{away, conflict}, v1.ReasonDestinationWriteFailed, "2 of 2 clusters failed: the cluster c cannot be reached; in the cluster b, it is taken"},
		"nothing is reported":   {states{inSync, silent}, v1.ReasonDestinationWriteInProgress, "the copies in the cluster d are not written or deleted yet"},
		"suspended":             {states{inSync, held}, v1.ReasonSuspended, "in the cluster e, suspended: would create 1"},
		"suspended, and taken":  {states{held, conflict}, v1.ReasonDestinationConflict, "1 of 2 clusters failed: in the cluster b, it is taken"},
		"a failure comes first": {states{silent, away}, v1.ReasonClusterUnreachable, "1 of 2 clusters failed: the cluster c cannot be reached"},
		"many": {
			states{conflict, conflict, conflict, conflict, conflict}, v1.ReasonDestinationConflict,
			"5 of 5 clusters failed: in the cluster b, it is taken; in the cluster b, it is taken; in the cluster b, it is taken; and 2 more",
		},
	} {
		problem := (&scope[*v1.ClusterProjection]{}).summarizeClusters(test.states)
		assert.Equal(t, test.reason, problem.Reason, name)
		assert.Equal(t, test.message, problem.Message, name)
	}
}

// TestIdentityOfAClusterThatCannotBeUsed has a RemoteCluster name another identity than the rule has recorded.
func TestIdentityOfAClusterThatCannotBeUsed(t *testing.T) {
	for name, test := range map[string]struct {
		cluster   DestinationCluster
		recorded  string
		isAnother bool
	}{
		"the same":                    {DestinationCluster{Identity: "1"}, "1", false},
		"another one":                 {DestinationCluster{Identity: "2"}, "1", true},
		"not known":                   {DestinationCluster{}, "1", false},
		"not recorded":                {DestinationCluster{Identity: "2"}, "", false},
		"a wrong one, and not usable": {DestinationCluster{Identity: "2", Err: unreachable("east").Err}, "1", false},
	} {
		assert.Equal(t, test.isAnother, test.cluster.isAnother(test.recorded), name)
	}
}

// TestRecordStaysForAWrongIdentity has a rule no longer copy into a cluster that cannot be used since its RemoteCluster names a wrong identity.
func TestRecordStaysForAWrongIdentity(t *testing.T) {
	f := newFixture(t)
	f.adapter.Fanout = silentFanout{}
	rule := ruleWith(v1.AnnotationWrittenClusters, "east=1")
	s := f.scope(rule)
	cluster := unreachable("east")
	cluster.IsTarget, cluster.Identity = false, "2"
	s.clusters = []DestinationCluster{cluster}
	s.recordClusters()
	assert.Equal(t, "east=1", s.rule.Annotations[v1.AnnotationWrittenClusters])
	assert.Empty(t, f.recorder.take())

	s.clusters[0].Err = nil
	s.recordClusters()
	assert.Empty(t, s.rule.Annotations[v1.AnnotationWrittenClusters])
	events := f.recorder.take()
	require.Len(t, events, 1)
	assert.Equal(t, v1.ReasonCopiesGivenUp, events[0].reason)
}

// silentFanout reports nothing.
type silentFanout struct {
	Fanout[*v1.ClusterProjection]
}

func (silentFanout) Reported(types.NamespacedName, string) (report ClusterReport[*v1.ClusterProjection], found bool) {
	return report, false
}
