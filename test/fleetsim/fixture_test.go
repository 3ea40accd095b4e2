package fleetsim_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/fleetsim/scenario"
	"projection.sh/operator/test/fleetsim/sim"
)

const (
	operatorUser = "projection-operator"
	clusters     = 20
	objects      = 5
	// atRest is longer than the operator waits until it calls a cluster unreachable.
	atRest = 6 * time.Second
)

// newWorld starts the clusters and declares them in the hub, for as long as the test runs.
func newWorld(t *testing.T) *scenario.World {
	t.Helper()
	fleet, err := sim.New(clusters)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, fleet.Close()) })
	world, err := scenario.NewWorld(hub.Config, fleet)
	require.NoError(t, err)
	require.NoError(t, world.Home())
	require.NoError(t, world.Declare(t.Context()))
	return world
}

// connect starts an operator, and waits until it is connected to all clusters. In the end the rules and the RemoteClusters are deleted.
func connect(t *testing.T, world *scenario.World) {
	t.Helper()
	config, err := hub.ConfigFor(operatorUser, "system:masters")
	require.NoError(t, err)
	operator, err := manager.StartReady(t.Context(), config, func(o *app.Options) {
		o.RemoteClusters, o.LeaderElectionNamespace = true, scenario.Secrets
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, world.Remove(context.Background()))
		require.NoError(t, operator.Stop())
	})
	require.Eventually(t, func() bool { return world.Fleet.Requests()["patch leases"] == 2*clusters }, env.Timeout, env.Interval)
	settle(t, world.Fleet, time.Second) // a rule that comes before its cluster is reached may be enqueued twice
}

// settle waits until the clusters are asked for nothing for so long.
func settle(t *testing.T, fleet *sim.Fleet, silence time.Duration) {
	t.Helper()
	before, since := fleet.Requests(), time.Now()
	require.Eventually(t, func() bool {
		now := fleet.Requests()
		if !maps.Equal(before, now) {
			before, since = now, time.Now()
		}
		return time.Since(since) > silence
	}, env.Timeout, env.Interval)
}
