package fleetsim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/fleetsim/scenario"
)

// TestPullFromTwentyClusters counts every request to the clusters, and cuts two of them off.
func TestPullFromTwentyClusters(t *testing.T) {
	world := newWorld(t)
	fleet, pull := world.Fleet, scenario.Pull{World: world, Objects: objects}
	require.NoError(t, pull.Furnish(t.Context()))
	connect(t, world)
	for i := range fleet.Clusters {
		require.NoError(t, pull.Project(t.Context(), i))
	}
	shows(t, pull, "no", clusters*objects)
	settle(t, fleet, atRest)
	for _, cluster := range fleet.Clusters {
		served := cluster.Requests()
		assert.Contains(t, []int{2, 3}, served["list configmaps"], "%s: a rule is enqueued again when a write has taken more than a second", cluster.Name)
		delete(served, "list configmaps")
		assert.Equal(t, atStart, served, cluster.Name)
		cluster.ForgetRequests()
	}
	assert.Equal(t, clusters, fleet.Connections())

	require.NoError(t, pull.Edit(t.Context(), "once"))
	shows(t, pull, "once", clusters)
	settle(t, fleet, time.Second)
	for _, cluster := range fleet.Clusters {
		assert.Equal(t, map[string]int{"list configmaps": 1}, cluster.Requests(), cluster.Name)
		cluster.ForgetRequests()
	}

	dead, alive := fleet.Clusters[:2], fleet.Clusters[2:]
	dead[0].Hang()
	dead[1].Refuse()
	require.NoError(t, pull.Edit(t.Context(), "twice"))
	shows(t, pull, "twice", len(alive))
	shows(t, pull, "once", len(dead))
	for _, cluster := range dead {
		cluster.Heal()
	}
	shows(t, pull, "twice", clusters)
	settle(t, fleet, time.Second)
	for _, cluster := range alive {
		assert.Equal(t, map[string]int{"list configmaps": 1}, cluster.Requests(), cluster.Name)
	}
	assert.NotContains(t, dead[0].Requests(), "watch configmaps", "its watch goes on")
	assert.Equal(t, clusters, fleet.Connections())
}

// atStart is what each cluster is asked for: which one it is, the lease, whether an apply checks its resourceVersion, three permissions, what it serves,
// and the watch. Besides, it lists the version from which a watch begins, and the sources.
var atStart = map[string]int{
	"GET /version": 1, "get namespaces": 1, "get leases": 1, "create leases": 1, "patch leases": 2, "GET /api": 1, "GET /apis": 1,
	"POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews": 3,
	"watch configmaps": 1,
}

// shows waits until so many copies have the text.
func shows(t *testing.T, pull scenario.Pull, text string, copies int) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		shown, err := pull.Shows(t.Context(), text)
		require.NoError(c, err)
		assert.Equal(c, copies, shown)
	}, env.Timeout, env.Interval)
}
