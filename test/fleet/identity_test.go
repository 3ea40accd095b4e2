package fleet_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

// startReplacement runs an API server that has the certificates and the users of the cluster, and the objects of the hub.
func startReplacement(t *testing.T) *env.SecondServer {
	t.Helper()
	storage, err := env.AddressOf(hub.Storage())
	require.NoError(t, err)
	server, err := cluster.StartSecondServer(t.Context(), storage)
	require.NoError(t, err)
	t.Cleanup(server.Kill)
	return server
}

// TestClusterIsReplacedAtTheSameAddress has the other cluster be asked who it is, and nothing else, until the RemoteCluster names it.
func TestClusterIsReplacedAtTheSameAddress(t *testing.T) {
	const name = "replaced"
	access := adminAccess(t, cluster, name)
	relay := newRelay(t, access)
	setSecret(t, name, relayed(access, relay))
	o := startOperator(t, "operator-replaced")
	o.declareSecret(t, name)
	connection := o.connected(t, name)
	createConfigMap(t, "default", name)
	seen := followWith(t, connection.Config(), "default")
	awaitSeen(t, seen, "default", name)

	other := startReplacement(t)
	mark, err := other.AuditMark()
	require.NoError(t, err)
	relay.Switch(other.Address())
	_, condition := o.says(t, name, v1alpha1.ReasonIdentityChanged)
	former, found := identityOf(t, cluster), identityOf(t, hub)
	assert.Equal(t, fmt.Sprintf("another cluster answers: the uid of its namespace kube-system is %[1]s, and not %[2]s; nothing is changed there; "+
		"correct the kubeconfig, or set spec.identity to %[1]s (%[3]s)", found, former, relay.Address()), condition.Message)
	require.Error(t, connection.Sure(t.Context(), 0))
	assert.Equal(t, former, o.read(t, name).Status.Identity, "it stays pinned")
	requests, err := other.RequestsSince(mark, name)
	require.NoError(t, err)
	require.Len(t, requests, 1)
	assert.Equal(t, "get namespaces kube-system", requests[0].Verb+" "+requests[0].Resource+" "+requests[0].Name)

	o.edit(t, name, func(spec *v1alpha1.RemoteClusterSpec) { spec.Identity = found })
	o.connected(t, name)
	assert.Equal(t, found, o.read(t, name).Status.Identity)

	o.edit(t, name, func(spec *v1alpha1.RemoteClusterSpec) { spec.Identity = former })
	o.says(t, name, v1alpha1.ReasonIdentityChanged)
	require.Eventually(t, func() bool {
		_, isOffered := o.Get(name)
		return !isOffered
	}, env.Timeout, env.Interval, "until it is the one that is wanted")
}

// TestKubeconfigOfAnotherCluster is put into the Secret while the cluster is connected.
func TestKubeconfigOfAnotherCluster(t *testing.T) {
	const name = "other-kubeconfig"
	access := adminAccess(t, cluster, name)
	setSecret(t, name, access)
	o := startOperator(t, "operator-other")
	o.declareSecret(t, name)
	o.connected(t, name)
	mark, err := hub.AuditMark()
	require.NoError(t, err)
	setSecret(t, name, adminAccess(t, hub, name))
	o.says(t, name, v1alpha1.ReasonIdentityChanged)
	requests, err := hub.RequestsSince(mark, name)
	require.NoError(t, err)
	require.Len(t, requests, 1, "the question who it is")

	setSecret(t, name, access)
	o.connected(t, name)
	assert.Equal(t, identityOf(t, cluster), o.read(t, name).Status.Identity)
}

func TestSameClusterIsDeclaredTwice(t *testing.T) {
	o := startOperator(t, "operator-twice")
	setSecret(t, "first", adminAccess(t, cluster, "first"))
	setSecret(t, "second", adminAccess(t, cluster, "second"))
	first := o.declareSecret(t, "first")
	o.connected(t, "first")
	o.declareSecret(t, "second")
	remote, condition := o.says(t, "second", v1alpha1.ReasonDuplicateIdentity)
	assert.Equal(t, "second is the same cluster as first; this one is not used; delete one of the two, or correct its kubeconfig", condition.Message)
	assert.True(t, meta.IsStatusConditionFalse(remote.Status.Conditions, v1alpha1.ConditionAccepted))
	assert.Empty(t, remote.Status.Identity, "another kubeconfig may make it another cluster")
	_, found := o.Get("second")
	assert.False(t, found)
	o.connected(t, "first")

	setSecret(t, "second", adminAccess(t, hub, "second"))
	o.connected(t, "second")
	assert.Equal(t, identityOf(t, hub), o.read(t, "second").Status.Identity)

	setSecret(t, "third", adminAccess(t, cluster, "third"))
	o.declareSecret(t, "third")
	o.says(t, "third", v1alpha1.ReasonDuplicateIdentity)
	require.NoError(t, o.client.Delete(context.Background(), first))
	o.connected(t, "third")
}
