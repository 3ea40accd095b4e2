package docs_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
)

const (
	clustersPage  = "docs/clusters.md"
	publishedPage = "docs/publishing.md"
	// declaring is the section of clustersPage after which the other cluster is connected.
	declaring = "Declare a cluster"
)

const (
	// remoteContext is the context of kubectl for the other cluster, and remoteAddress where the documents say that it is.
	remoteContext = "eu-1"
	remoteAddress = "https://eu-1.example.com:6443"
	// operators is the namespace of the operator.
	operators = "projection-system"
)

// TestExamplesWithAnotherCluster runs what the pages about other clusters show with a second control plane, which the context eu-1 leads to.
func TestExamplesWithAnotherCluster(t *testing.T) {
	member, err := env.Start(env.WithControllerManager())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, member.Stop()) })
	connectsToClusters(t)
	all := pages(t)
	for _, name := range []string{clustersPage, publishedPage} {
		t.Run(name, func(t *testing.T) {
			sweepAfter(t, member)
			sweepAfter(t, cluster)
			withdrawAfter(t)
			r := reader.with(t, member)
			if name != clustersPage {
				section, found := all[clustersPage].Section(declaring)
				require.True(t, found)
				require.NoError(t, r.reads(section))
			}
			require.NoError(t, r.reads(all[name]))
		})
	}
}

// connectsToClusters runs the operator with --remote-clusters, and the rights that the chart then gives to it.
func connectsToClusters(t *testing.T) {
	t.Helper()
	const upgrade = "helm upgrade projection deploy/charts/projection --namespace " + operators + " --reset-then-reuse-values --set remoteClusters.enabled="
	require.NoError(t, reader.does(upgrade+"true\n", ""))
	require.NoError(t, restartOperator(func(o *app.Options) { o.RemoteClusters, o.LeaderElectionNamespace = true, operators }))
	t.Cleanup(func() {
		require.NoError(t, reader.does(upgrade+"false\n", ""))
		require.NoError(t, restartOperator(leavesNarrow))
	})
}

// with returns a terminal in a new directory from which the other cluster can be reached as well.
func (r *terminal) with(t *testing.T, member *env.Environment) *terminal {
	t.Helper()
	config := member.Config
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(clientcmdapi.Config{
		Contexts: map[string]*clientcmdapi.Context{remoteContext: {Cluster: remoteContext, AuthInfo: remoteContext}},
		Clusters: map[string]*clientcmdapi.Cluster{remoteContext: {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{remoteContext: {
			Token: config.BearerToken, ClientCertificateData: config.CertData, ClientKeyData: config.KeyData,
		}},
	}, path))
	both := strings.Join([]string{cluster.KubeConfig, path}, string(os.PathListSeparator))
	return &terminal{
		environment: append(slices.Clip(r.environment), "KUBECONFIG="+both, "TREE="+env.Root()),
		directory:   t.TempDir(),
		addresses:   strings.NewReplacer(remoteAddress, config.Host),
	}
}

// withdrawAfter has the operator remove all that it has in other clusters when the test ends.
func withdrawAfter(t *testing.T) {
	t.Helper()
	s := newSweeper(t, cluster)
	t.Cleanup(func() {
		s.rules("clusterprojections")
		s.rules("projections")
		s.ended(v1alpha1.GroupVersion.WithResource("publishedresources"))
		s.ended(v1alpha1.GroupVersion.WithResource("remoteclusters"))
		clients := kubernetes.NewForConfigOrDie(cluster.Config)
		require.NoError(t, ignoreGone(clients.CoreV1().Secrets(operators).Delete(context.Background(), "eu-1-kubeconfig", metav1.DeleteOptions{})))
	})
}
