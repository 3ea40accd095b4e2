package cli_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/test/env/fixture"
)

// patchClusters reports on the copies of a rule in other clusters as an operator would that writes them.
const patchClusters = `{"status":{"clusters":{"targeted":3,"inSync":1,"failed":1,"unreachable":1},"clusterFailures":[
{"cluster":"eu-1","reason":"ClusterUnreachable","message":"the cluster eu-1 cannot be reached; its copies stay as they are"},
{"cluster":"eu-2","namespace":"web-2","reason":"DestinationConflict","message":"another object is in the place of the copy"}]}}`

// elsewhere creates RemoteClusters and rules with sources and copies in them, and reports on them.
func elsewhere(t *testing.T) {
	t.Helper()
	create(t, "testdata/remoteclusters.yaml")
	create(t, "testdata/elsewhere.yaml")
	require.NoError(t, wait(t.Context(), "false", "", "clusterprojection/spread", "clusterprojection/pulled"))
	withoutOperator(t)
	report(t, v1alpha1.GroupVersion.WithResource("remoteclusters"), "eu-1", patchStatus)
	report(t, v1alpha1.GroupVersion.WithResource("remoteclusters"), "eu-1", `{"status":{"copies":7,"orphans":2,
		"owed":[{"uid":"0c1d2e3f-41aa-4a5c-9d0e-7b1f2a3c4d5e","rule":"ClusterProjection/registry","kinds":["Secret"]}]}}`)
	report(t, v1.GroupVersion.WithResource("clusterprojections"), "spread", patchClusters)
}

// report writes the status of an object as an operator would.
func report(t *testing.T, resource schema.GroupVersionResource, name, patch string) {
	t.Helper()
	client, err := dynamic.NewForConfig(cluster.Config)
	require.NoError(t, err)
	_, err = client.Resource(resource).Patch(t.Context(), name, types.MergePatchType, []byte(replaceNow(patch)), metav1.PatchOptions{}, "status")
	require.NoError(t, err)
}

// TestRulesWithOtherClusters asks for rules whose sources or copies are in other clusters: what the operator reports is said, and nothing else.
func TestRulesWithOtherClusters(t *testing.T) {
	elsewhere(t)
	golden(t, "elsewhere",
		"status clusterprojection/spread",
		"status clusterprojection/spread -o json",
		"why clusterprojection/spread -n web-1",
		"why clusterprojection/spread -n web-2 -o json",
		"why cm/written-remotely -n web-1",
		"tree clusterprojection/spread",
		"tree clusterprojection/pulled",
		"plan clusterprojection/spread --set-label=tier=web",
		"plan -f testdata/elsewhere-changed.yaml",
		"clusters eu-1",
		"clusters eu-2",
		"doctor --operator-namespace=nowhere --ignore=PR104,PR201,PR202,PR205,PR206,PR301,PR302,PR303,PR204,PR207",
	)
}

func TestPagesOfClusters(t *testing.T) {
	elsewhere(t)
	b := open(t)
	tests := map[string]struct{ shows, not []string }{
		"/clusters": {shows: []string{
			"Clusters The operator runs without --remote-clusters", "failed: eu-1 Unauthorized v1.36.3 1 ", "✘ failed: ended at 2020-01-01T00:00:00Z",
			"waiting: eu-2", "Not ready 1", "Not reported 2", "kubectl projection clusters",
		}},
		"/clusters?group=Not+ready": {shows: []string{"eu-1"}, not: []string{"eu-2"}},
		"/clusters/eu-1": {shows: []string{
			"failed: RemoteCluster eu-1", "Next kubectl projection rights eu-1", "Secret projection-system/eu-1-kubeconfig", "with team=tenants",
			"Orphans 2 objects: kubectl projection orphans eu-1", "Owed ClusterProjection/registry (Secret)", "7, when it was last reached",
			"Reported of copies in it", "ClusterProjection spread ClusterUnreachable the cluster eu-1 cannot be reached", "copy from it 1", "copy into it 1",
			"ClusterProjection pulled copy from it ConfigMap db/settings in the cluster eu-1", "ClusterProjection spread copy into it", "Connected=False Unauthorized",
		}},
		"/clusters/eu-2": {shows: []string{"waiting: RemoteCluster eu-2", "ClusterProjection spread web-2 DestinationConflict"}, not: []string{"pulled"}},
		"/clusters/own":  {shows: []string{"it is the cluster of the operator", "No rule copies from it or into it.", "The operator has reported nothing."}},
		"/rules/clusterprojection/spread": {shows: []string{
			"1 of 3 clusters in sync, 1 failed, 1 not reached", "Copies into all RemoteClusters, except own", "✘ failed: eu-1 ClusterUnreachable",
			"✘ failed: eu-2 web-2 DestinationConflict", "failed 1", "not reached 1", "no longer wanted 1", "eu-0", "The copies there are not read.",
		}, not: []string{"not selected"}},
		"/rules/clusterprojection/spread/in/web-1": {shows: []string{"does not read; the operator reports", "eu-1 ClusterUnreachable"}, not: []string{"DestinationConflict"}},
		"/rules/clusterprojection/pulled":          {shows: []string{"Cluster of the source eu-1", "the source is in the cluster eu-1, which this command does not read"}},
		"/?q=spread":                               {shows: []string{"1/3 clusters in sync", "failed: cluster eu-1 ClusterUnreachable", "failed: cluster eu-2 DestinationConflict", "good: clusters in sync 1 cluster"}},
		"/?q=pulled":                               {shows: []string{"ConfigMap db/settings in the cluster eu-1 in another cluster"}},
	}
	for path, test := range tests {
		page := b.get(t, path, http.StatusOK)
		for _, text := range test.shows {
			assert.Contains(t, page, text, path)
		}
		for _, text := range test.not {
			assert.NotContains(t, page, text, path)
		}
	}
	assert.Contains(t, b.get(t, "/clusters/nothing", http.StatusNotFound), "not found")

	hidden := open(t, "--as=tenant")
	assert.Contains(t, hidden.get(t, "/clusters", http.StatusOK), "? you may not list remoteclusters")
	assert.Contains(t, hidden.get(t, "/clusters/eu-1", http.StatusOK), "? you may not read the RemoteCluster eu-1")
}

// TestPagesOfClustersAskForLittle counts the requests of pages that are about clusters, and of those that are not.
func TestPagesOfClustersAskForLittle(t *testing.T) {
	elsewhere(t)
	const user = "clusters-user"
	config, err := cluster.KubeConfigFor(user, "system:masters")
	require.NoError(t, err)
	b := open(t, "--kubeconfig="+config)
	for path, wanted := range map[string][]string{
		"/":                               nil,
		"/clusters":                       {"list "},
		"/clusters/eu-1":                  {"get eu-1"},
		"/rules/clusterprojection/spread": {"list "},
		"/rules/clusterprojection/pulled": nil,
	} {
		var asked []string
		requests := fixture.ReceivedDuring(t, cluster, user, func() { b.get(t, path, http.StatusOK) })
		for _, request := range requests {
			if request.Resource == access.RemoteClusters.Resource {
				asked = append(asked, request.Verb+" "+request.Name)
			}
		}
		assert.Equal(t, wanted, asked, path)
		assert.LessOrEqual(t, len(requests), 6, path)
	}
}

func TestPagesFollowClusters(t *testing.T) {
	elsewhere(t)
	lines := open(t, "--operator-namespace=nowhere").events(t)
	awaitLine(t, lines, "data: The page follows changes.")
	const enough = 6 // the first ones are about watches that begin
	for range enough {
		report(t, v1alpha1.GroupVersion.WithResource("remoteclusters"), "eu-1", `{"status":{"version":"NOW"}}`)
		awaitLine(t, lines, "event: change")
	}
	awaitLine(t, open(t, "--as=watcher", "-n=tenant-a", "--operator-namespace=nowhere").events(t), "remoteclusters.projection.sh")
}
