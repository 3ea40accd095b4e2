package app_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// withRemotes runs a manager with the flag, which looks for RemoteClusters each second.
func withRemotes(t *testing.T, user string) running {
	t.Helper()
	config, err := cluster.ConfigFor(user, "system:masters")
	require.NoError(t, err)
	return run(t, config, func(o *appOptions) {
		o.RemoteClusters, o.LeaderElectionNamespace, o.RequeueInterval = true, metav1.NamespaceDefault, time.Second
	})
}

// remotes is an administrator's client of RemoteClusters.
func remotes(t *testing.T) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	c, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	return c
}

// ownCluster returns a RemoteCluster that is the cluster of the operator.
func ownCluster() *v1alpha1.RemoteCluster {
	return &v1alpha1.RemoteCluster{
		ObjectMeta: metav1.ObjectMeta{Name: "own"},
		Spec:       v1alpha1.RemoteClusterSpec{Access: v1alpha1.ClusterAccess{InCluster: &v1alpha1.InClusterAccess{}}},
	}
}

// isConnected waits until the RemoteCluster is.
func isConnected(t *testing.T, remote *v1alpha1.RemoteCluster) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.NoError(c, remotes(t).Get(t.Context(), client.ObjectKeyFromObject(remote), remote))
		assert.True(c, meta.IsStatusConditionTrue(remote.Status.Conditions, v1alpha1.ConditionReady), remote.Status.Conditions)
	}, 2*env.Timeout, env.Interval)
}

// definitionOfRemotes returns the CustomResourceDefinition.
func definitionOfRemotes(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(env.CRDs(), "projection.sh_remoteclusters.yaml"))
	require.NoError(t, err)
	definition := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal(content, &definition.Object))
	return definition
}

// undefine deletes the definition of RemoteClusters, and has it created when the test ends.
func undefine(t *testing.T) {
	t.Helper()
	c, definition := rules(t), definitionOfRemotes(t)
	require.NoError(t, c.Delete(t.Context(), definition))
	t.Cleanup(func() {
		require.NoError(t, client.IgnoreAlreadyExists(c.Create(context.Background(), definitionOfRemotes(t))))
	})
	require.Eventually(t, func() bool {
		return apierrors.IsNotFound(c.Get(t.Context(), client.ObjectKeyFromObject(definition), definition))
	}, env.Timeout, env.Interval)
}

// declareOwn declares the cluster of the operator, until the test ends.
func declareOwn(t *testing.T) *v1alpha1.RemoteCluster {
	t.Helper()
	remote := ownCluster()
	require.EventuallyWithT(t, func(c *assert.CollectT) { // a definition that was just created is not served at once
		require.NoError(c, remotes(t).Create(t.Context(), remote))
	}, env.Timeout, env.Interval)
	t.Cleanup(func() {
		assert.NoError(t, client.IgnoreNotFound(remotes(t).Delete(context.Background(), ownCluster())))
	})
	return remote
}

// TestRemoteClustersNeedTheirDefinition starts without it, and applies it later.
func TestRemoteClustersNeedTheirDefinition(t *testing.T) {
	undefine(t)
	withRemotes(t, "remotes-undefined").ready()
	rule := newRule(t, nil)
	require.Eventually(t, func() bool { return served(t, rule) }, env.Timeout, env.Interval, "rules need no RemoteClusters")

	require.NoError(t, rules(t).Create(t.Context(), definitionOfRemotes(t)))
	isConnected(t, declareOwn(t))
}

// TestDefinitionOfRemoteClustersIsDeleted while the manager runs.
func TestDefinitionOfRemoteClustersIsDeleted(t *testing.T) {
	m := withRemotes(t, "remotes-deleted")
	m.ready()
	isConnected(t, declareOwn(t))
	undefine(t)
	rule := newRule(t, nil)
	require.Eventually(t, func() bool { return served(t, rule) }, env.Timeout, env.Interval)
	m.ready()

	require.NoError(t, rules(t).Create(t.Context(), definitionOfRemotes(t)))
	isConnected(t, declareOwn(t))
}

// requestsForRemotes returns the verbs of the requests of the user that are only made for RemoteClusters.
func requestsForRemotes(t *testing.T, mark env.AuditMark, user string) []string {
	t.Helper()
	var found []string
	for _, request := range fixture.RequestsSince(t, cluster, mark, user) {
		if request.Resource == "remoteclusters" || request.Resource == "secrets" {
			found = append(found, request.Verb+" "+request.Resource)
		}
	}
	return found
}

// TestFlagCostsOneWatch counts the requests of managers that have no RemoteCluster.
func TestFlagCostsOneWatch(t *testing.T) {
	const user, without = "remotes-unused", "remotes-without"
	mark := fixture.Mark(t, cluster)
	withRemotes(t, user).ready()
	require.Eventually(t, func() bool { return len(requestsForRemotes(t, mark, user)) > 1 }, env.Timeout, env.Interval)
	becomesQuiet(t, user)
	assert.Equal(t, []string{"list remoteclusters", "watch remoteclusters"}, requestsForRemotes(t, mark, user))

	config, err := cluster.ConfigFor(without, "system:masters")
	require.NoError(t, err)
	run(t, config, nil).ready()
	becomesQuiet(t, without)
	assert.Empty(t, requestsForRemotes(t, mark, without))
}
