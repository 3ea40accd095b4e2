package fleet_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/kubernetes"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

// TestNothingIsAskedAtRest has something else happen, and looks what the operator has asked of a RemoteCluster that does not change.
func TestNothingIsAskedAtRest(t *testing.T) {
	const name, user = "rests", "operator-rests"
	setSecret(t, name, adminAccess(t, cluster, name))
	o := startOperator(t, user)
	o.declareSecret(t, name)
	o.connected(t, name)
	o.declareSecret(t, "passes")
	o.says(t, "passes", v1alpha1.ReasonSecretNotFound)
	atHub, err := hub.AuditMark()
	require.NoError(t, err)
	atCluster, err := cluster.AuditMark()
	require.NoError(t, err)

	setSecret(t, "unrelated", adminAccess(t, cluster, "unrelated"))
	setSecret(t, "passes", adminAccess(t, hub, "passes"))
	o.connected(t, "passes")
	requests, err := hub.RequestsSince(atHub, user)
	require.NoError(t, err)
	assert.NotEmpty(t, requests)
	for _, request := range requests {
		assert.NotEqual(t, name, request.Name, request)
		assert.NotContains(t, request.URI, "unrelated")
		assert.NotEqual(t, "list", request.Verb, request)
	}
	assert.Empty(t, requestsOf(t, atCluster, name))
}

// TestOnlyNamedSecretsAreWatched looks at the requests for Secrets.
func TestOnlyNamedSecretsAreWatched(t *testing.T) {
	const name, user = "watched", "operator-watched"
	mark, err := hub.AuditMark()
	require.NoError(t, err)
	setSecret(t, name, adminAccess(t, cluster, name))
	o := startOperator(t, user)
	o.declareSecret(t, name)
	o.connected(t, name)
	setSecret(t, name, adminAccess(t, cluster, "watched-again"))
	deleteSecret(t, name)
	o.says(t, name, v1alpha1.ReasonSecretNotFound)
	requests, err := hub.RequestsSince(mark, user)
	require.NoError(t, err)
	verbs := map[string]bool{}
	for _, request := range requests {
		if request.Resource == "secrets" {
			verbs[request.Verb] = true
			assert.Equal(t, operators, request.Namespace)
			assert.True(t, request.Name == name || strings.Contains(request.URI, "fieldSelector=metadata.name%3D"+name), request)
		}
	}
	assert.True(t, verbs["get"] && verbs["watch"])
}

// TestRestartWritesNothing runs one operator after another.
func TestRestartWritesNothing(t *testing.T) {
	const user = "operator-restarts"
	former := startOperator(t, user)
	setSecret(t, "restarts", adminAccess(t, cluster, "restarts"))
	former.declareSecret(t, "restarts")
	former.connected(t, "restarts")
	setSecret(t, "restarts-twice", adminAccess(t, cluster, "restarts-twice"))
	former.declareSecret(t, "restarts-twice")
	former.says(t, "restarts-twice", v1alpha1.ReasonDuplicateIdentity)
	require.Eventually(t, func() bool {
		return meta.IsStatusConditionTrue(former.read(t, "restarts-twice").Status.Conditions, v1alpha1.ConditionConnected)
	}, env.Timeout, env.Interval, "it has nothing left to write")
	former.stop()
	mark, err := hub.AuditMark()
	require.NoError(t, err)

	o := startOperator(t, user)
	require.Eventually(t, func() bool {
		_, found := o.Get("restarts")
		return found
	}, env.Timeout, env.Interval)
	// The next one is handled after what the others have caused.
	setSecret(t, "restarts-later", adminAccess(t, hub, "restarts-later"))
	o.declareSecret(t, "restarts-later")
	o.connected(t, "restarts-later")
	requests, err := hub.RequestsSince(mark, user)
	require.NoError(t, err)
	for _, request := range requests {
		isWrite := request.Resource == "remoteclusters" && request.Verb != "list" && request.Verb != "watch"
		assert.False(t, isWrite && request.Name != "restarts-later", request)
	}
}

// TestNothingIsLeftOfARemoteCluster deletes RemoteClusters, of which one hangs, and ends the operator.
func TestNothingIsLeftOfARemoteCluster(t *testing.T) {
	const name = "nothing-left"
	access := adminAccess(t, cluster, name)
	relay := newRelay(t, access)
	setSecret(t, name, relayed(access, relay))
	stalled := newRelay(t, access)
	stalled.Stall()
	setSecret(t, "nothing-hangs", relayed(access, stalled))
	o := startOperator(t, "operator-left")
	setSecret(t, "nothing-before", adminAccess(t, hub, "nothing-before"))
	o.declareSecret(t, "nothing-before")
	o.connected(t, "nothing-before")
	before := runtime.NumGoroutine()
	remote := o.declareSecret(t, name)
	connection := o.connected(t, name)
	hangs := o.declareSecret(t, "nothing-hangs")
	o.says(t, hangs.Name, v1alpha1.ReasonConnecting)
	client := kubernetes.NewForConfigOrDie(connection.Config())
	_, err := client.Discovery().ServerVersion()
	require.NoError(t, err)

	require.NoError(t, o.client.Delete(context.Background(), remote))
	require.NoError(t, o.client.Delete(context.Background(), hangs))
	require.Eventually(t, func() bool {
		_, found := o.Get(name)
		return !found
	}, env.Timeout, env.Interval)
	require.Eventually(t, func() bool {
		_, err = client.Discovery().ServerVersion()
		return err != nil
	}, env.Timeout, env.Interval)
	assert.False(t, apierrors.IsNotFound(err))
	stalled.Close() // it keeps what it has not passed on
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.LessOrEqual(c, runtime.NumGoroutine(), before+1, "one looks")
	}, env.Timeout, env.Interval)
}
