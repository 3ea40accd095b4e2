package fleetsim_test

import (
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
	for _, cluster := range fleet.Clusters {
		assert.Equal(t, nil, cluster.Requests(), cluster.Name)
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

// reach waits until the copy of the object has the text in so many clusters.
func reach(t *testing.T, push scenario.Push, number int, text string, clusters int) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Equal(c, clusters, push.Shows(number, text)) }, env.Timeout, env.Interval)
}
