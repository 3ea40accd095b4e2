package fleet_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

func TestRemoteClusterIsConnected(t *testing.T) {
	const name = "connects"
	newAccount(t, name)
	access := tokenAccess(t, name, "token")
	setSecret(t, name, access)
	o := startOperator(t, "operator-connects")
	o.declareSecret(t, name)
	member := o.connected(t, name)

	remote := o.read(t, name)
	assert.Equal(t, identityOf(t, cluster), remote.Status.Identity)
	version, err := admin().Discovery().ServerVersion()
	require.NoError(t, err)
	assert.Equal(t, version.GitVersion, remote.Status.Version)
	require.NotNil(t, remote.Status.CredentialsExpire)
	assert.True(t, access.Expiry().Equal(remote.Status.CredentialsExpire.Time))
	assert.Equal(t, remote.Generation, remote.Status.ObservedGeneration)
	for _, kind := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionConnected, v1alpha1.ConditionReady} {
		assert.True(t, meta.IsStatusConditionTrue(remote.Status.Conditions, kind), kind)
	}
	since, cause := member.State()
	require.NoError(t, cause)
	connected := meta.FindStatusCondition(remote.Status.Conditions, v1alpha1.ConditionConnected)
	assert.Equal(t, since.Truncate(time.Second).Unix(), connected.LastTransitionTime.Unix(), "since")
	_, err = kubernetes.NewForConfigOrDie(member.Config()).CoreV1().ConfigMaps(name).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.NoError(t, member.Sure(t.Context(), 0))
	assert.EventuallyWithT(t, func(c *assert.CollectT) {
		var events eventsv1.EventList
		require.NoError(c, o.client.List(t.Context(), &events))
		var said []string
		for _, event := range events.Items {
			if event.Regarding.Name == name {
				said = append(said, event.Type+" "+event.Reason)
			}
		}
		assert.ElementsMatch(c, []string{"Normal Connected", "Warning HomeMissing"}, said)
	}, env.Timeout, env.Interval)
}

// TestTokenInASecretBreaksNoWatch has the former token end while a watch is open that was begun with it.
func TestTokenInASecretBreaksNoWatch(t *testing.T) {
	const name = "token-in-secret"
	user := newAccount(t, name)
	setSecret(t, name, tokenAccess(t, name, "former"))
	o := startOperator(t, "operator-token")
	o.declareSecret(t, name)
	connection := o.connected(t, name)
	seen := followWith(t, connection.Config(), name)
	createConfigMap(t, name, "before")
	awaitSeen(t, seen, name, "before")
	mark, err := cluster.AuditMark()
	require.NoError(t, err)

	next := tokenAccess(t, name, "next")
	setSecret(t, name, next)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		remote := o.read(t, name)
		require.NotNil(c, remote.Status.CredentialsExpire)
		assert.Equal(c, next.Expiry().Unix(), remote.Status.CredentialsExpire.Unix())
	}, env.Timeout, env.Interval)
	require.NoError(t, admin().CoreV1().Secrets(name).Delete(t.Context(), "former", metav1.DeleteOptions{}))
	client := kubernetes.NewForConfigOrDie(connection.Config())
	require.Eventually(t, func() bool {
		_, err := client.CoreV1().ConfigMaps(name).Get(t.Context(), "before", metav1.GetOptions{})
		return err == nil
	}, env.Timeout, env.Interval, "with the next token")
	createConfigMap(t, name, "after")
	awaitSeen(t, seen, name, "after")
	for _, request := range requestsOf(t, mark, user) {
		assert.Contains(t, []string{"get configmaps", "get namespaces", "get "}, request, "neither a list nor a watch")
	}
	same, _ := o.Get(name)
	assert.Same(t, connection, same)
}

// TestSecretIsDeleted finds the cluster connected with what there was.
func TestSecretIsDeleted(t *testing.T) {
	const name = "secret-deleted"
	setSecret(t, name, adminAccess(t, cluster, name))
	o := startOperator(t, "operator-deleted")
	o.declareSecret(t, name)
	connection := o.connected(t, name)

	deleteSecret(t, name)
	remote, condition := o.says(t, name, v1alpha1.ReasonSecretNotFound)
	assert.Equal(t, "there is no Secret default/secret-deleted; the former access stays in use; create it with a kubeconfig, or correct "+
		"access.kubeconfig.secret", condition.Message)
	assert.True(t, meta.IsStatusConditionTrue(remote.Status.Conditions, v1alpha1.ConditionConnected))
	same, _ := o.Get(name)
	require.Same(t, connection, same)
	require.NoError(t, connection.Sure(t.Context(), 0))

	setSecret(t, name, adminAccess(t, cluster, name))
	o.says(t, name, v1alpha1.ReasonConnected)
	same, _ = o.Get(name)
	require.Same(t, connection, same)
}

// TestClusterHangs has another one be connected meanwhile.
func TestClusterHangs(t *testing.T) {
	o := startOperator(t, "operator-hangs")
	access := adminAccess(t, cluster, "hangs")
	relay := newRelay(t, access)
	relay.Stall()
	for i := range 3 {
		name := fmt.Sprintf("hangs-%d", i)
		setSecret(t, name, relayed(access, relay))
		o.declareSecret(t, name)
		o.says(t, name, v1alpha1.ReasonConnecting)
	}
	setSecret(t, "answers", access)
	o.declareSecret(t, "answers")
	o.connected(t, "answers")
	for i := range 3 {
		name := fmt.Sprintf("hangs-%d", i)
		_, found := o.Get(name)
		assert.False(t, found)
		o.says(t, name, v1alpha1.ReasonUnreachable)
	}
}

func TestPausedClusterStaysConnected(t *testing.T) {
	const name = "paused"
	setSecret(t, name, adminAccess(t, cluster, name))
	o := startOperator(t, "operator-paused")
	o.declareSecret(t, name)
	connection := o.connected(t, name)
	o.edit(t, name, func(spec *v1alpha1.RemoteClusterSpec) { spec.Paused = true })
	remote, _ := o.says(t, name, v1alpha1.ReasonPaused)
	assert.True(t, meta.IsStatusConditionTrue(remote.Status.Conditions, v1alpha1.ConditionConnected))
	same, _ := o.Get(name)
	assert.Same(t, connection, same)
}

// TestOwnClusterIsConnected uses the access of the operator itself.
func TestOwnClusterIsConnected(t *testing.T) {
	o := startOperator(t, "operator-own")
	o.declare(t, "own", v1alpha1.RemoteClusterSpec{Access: v1alpha1.ClusterAccess{InCluster: &v1alpha1.InClusterAccess{}}})
	o.connected(t, "own")
	assert.Equal(t, identityOf(t, hub), o.read(t, "own").Status.Identity)
}
