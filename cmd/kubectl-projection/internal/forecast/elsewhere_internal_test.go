package forecast

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

// TestSourceInAnotherCluster asks for what a rule wants whose source is in another cluster. No request is made: the forecaster has no API server.
func TestSourceInAnotherCluster(t *testing.T) {
	const sentence = "the source is in the cluster eu-1, which this command does not read"
	source := v1.SourceRef{Kind: "ConfigMap", Namespace: "platform", Name: "app-config"}
	rule := access.Rule{
		Identity: owner.Identity{Kind: owner.ClusterProjection, Name: "base"}, Object: &v1.ClusterProjection{}, Spec: owner.Spec{Source: source},
		SourceCluster: "eu-1",
	}
	requireUnknown(t, rule, sentence, "kubectl projection clusters eu-1")
}

func TestCopiesInOtherClusters(t *testing.T) {
	rule := access.Rule{
		Identity: owner.Identity{Kind: owner.ClusterProjection, Name: "base"}, Object: &v1.ClusterProjection{},
		Spec:     owner.Spec{Source: v1.SourceRef{Kind: "ConfigMap", Namespace: "platform", Name: "app-config"}},
		Clusters: &v1.ClusterTargets{Selector: &v1.ClusterSelector{}},
	}
	const sentence = "the copies are in other clusters, which this command does not read; "
	requireUnknown(t, rule, sentence+"the operator has reported nothing of them", "kubectl projection clusters")
	object := rule.Object.(*v1.ClusterProjection)
	object.Status.Clusters = &v1.ClusterCounts{Targeted: 3, InSync: 1, Unreachable: 1}
	object.Status.ClusterFailures = []v1.ClusterFailure{{Cluster: "eu-1", Reason: v1.ReasonClusterUnreachable}}
	requireUnknown(t, rule, sentence+"the operator reports 1 of 3 clusters in sync, 1 not reached, 1 waiting", "kubectl projection clusters eu-1")
	object.Status.Clusters.Failed = 1
	requireUnknown(t, rule, sentence+"the operator reports 1 of 3 clusters in sync, 1 failed, 1 not reached", "kubectl projection clusters")
	object.Generation = 2
	requireUnknown(t, rule, sentence+"the operator reports of the rule as it was before: 1 of 3 clusters in sync, 1 failed, 1 not reached", "clusters")
}

// requireUnknown checks that nothing is said of what the rule wants but the sentence.
func requireUnknown(t *testing.T, rule access.Rule, sentence, next string) {
	t.Helper()
	f := &Forecaster{}

	verdicts, err := f.In(t.Context(), rule, "web-1")
	require.NoError(t, err)
	require.Len(t, verdicts, 1)
	assert.Equal(t, []string{string(Unknown), sentence}, []string{string(verdicts[0].State), verdicts[0].Message})
	assert.True(t, strings.HasSuffix(verdicts[0].Next, next), verdicts[0].Next)

	branches, err := f.All(t.Context(), rule)
	require.NoError(t, err)
	assert.Equal(t, sentence, branches[0].Refused.Message)
	changes, err := f.Changes(t.Context(), rule, nil)
	require.NoError(t, err)
	assert.Equal(t, sentence, changes.Changes[0].Message)
	assert.Len(t, changes.Changes, 1, "nothing is known of any copy")
	size, err := f.SizeOf(t.Context(), rule)
	require.NoError(t, err)
	assert.Equal(t, Size{Unknown: sentence}, size)
	goal, err := f.Goal(t.Context(), rule)
	require.NoError(t, err)
	assert.Equal(t, Unknown, goal.Problem.State)
	rendered, err := f.Render(t.Context(), rule, "web-1")
	require.NoError(t, err)
	assert.Equal(t, sentence, rendered[0].Verdict.Message)
	wanted, verdict, err := f.Wanted(t.Context(), rule, Object{Kind: "ConfigMap", Namespace: "web-1", Name: "app-config"})
	require.NoError(t, err)
	assert.Nil(t, wanted)
	assert.Equal(t, sentence, verdict.Message)
}
