package fleetsim_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/fleetsim/scenario"
)

// TestPushToTwentyClusters counts every request to the clusters, and cuts two of them off.
func TestPushToTwentyClusters(t *testing.T) {
	world := newWorld(t)
	fleet, push := world.Fleet, scenario.Push{World: world, Objects: objects}
	require.NoError(t, push.Furnish(t.Context()))
	connect(t, world)
	for i := range objects {
		require.NoError(t, push.Project(t.Context(), i))
	}
	for i := range objects {
		reach(t, push, i, "no", clusters)
	}
	settle(t, fleet, atRest)
	for i, cluster := range fleet.Clusters {
		wanted := maps.Clone(atStartOfPush)
		wanted["patch configmaps"] = objects
		if i < 2 { // those that one rule names
			wanted["patch configmaps"]++
		}
		assert.Equal(t, wanted, cluster.Requests(), cluster.Name)
		cluster.ForgetRequests()
	}
	assert.Equal(t, clusters, fleet.Connections())

	require.NoError(t, push.Edit(t.Context(), "once"))
	reach(t, push, 0, "once", clusters)
	settle(t, fleet, time.Second)
	for _, cluster := range fleet.Clusters {
		assert.Equal(t, map[string]int{"patch configmaps": 1}, cluster.Requests(), cluster.Name)
		cluster.ForgetRequests()
	}

	require.NoError(t, push.Overwrite(fleet.Clusters[7], "overwritten"))
	settle(t, fleet, time.Second)
	reach(t, push, 0, "once", clusters)
	assert.Equal(t, map[string]int{"patch configmaps": 1}, fleet.Requests(), "nothing else is asked, and no other cluster")
	fleet.Clusters[7].ForgetRequests()

	dead, alive := fleet.Clusters[:2], fleet.Clusters[2:]
	dead[0].Hang()
	dead[1].Refuse()
	require.NoError(t, push.Edit(t.Context(), "twice"))
	reach(t, push, 0, "twice", len(alive))
	reach(t, push, 0, "once", len(dead))
	for _, cluster := range dead {
		cluster.Heal()
	}
	reach(t, push, 0, "twice", clusters)
	settle(t, fleet, time.Second)
	for _, cluster := range alive {
		assert.Equal(t, map[string]int{"patch configmaps": 1}, cluster.Requests(), cluster.Name)
	}
	for _, cluster := range dead {
		assert.NotContains(t, cluster.Requests(), "list configmaps", "its watch goes on")
	}
	assert.Equal(t, clusters, fleet.Connections())
}

// atStartOfPush is what each cluster is asked for besides the copies: which one it is, the lease, whether an apply checks its resourceVersion, nine
// permissions, what it serves, and the watches of copies and namespaces, which begin with what there is.
var atStartOfPush = map[string]int{
	"GET /version": 1, "get namespaces": 1, "get leases": 1, "create leases": 1, "patch leases": 2, "GET /api": 1, "GET /apis": 1,
	"POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews": 9,
	"watch configmaps": 1, "watch namespaces": 1,
}

// reach waits until the copy of the object has the text in so many clusters.
func reach(t *testing.T, push scenario.Push, number int, text string, clusters int) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Equal(c, clusters, push.Shows(number, text)) }, env.Timeout, env.Interval)
}
