package crash_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/failpoint"
)

// replicas are two managers that elect a leader; the first one leads.
type replicas struct {
	*world
	first, second *manager.InProcess
}

// newReplicas returns replicas that serve the worlds of a lane, which is empty yet.
func newReplicas(w *world) *replicas {
	w.T.Helper()
	w.namespace("leases", "")
	r := &replicas{world: w}
	r.first = r.join()
	require.Eventually(w.T, func() bool { return r.holder() != "" }, timeout, interval)
	r.second = r.join()
	return r
}

// newReplicasInStep returns replicas that serve a world which is in step.
func newReplicasInStep(t *testing.T, lane string) *replicas {
	t.Helper()
	r := newReplicas(newWorld(t, lane, v1.KindClusterProjection))
	sourceAndRule(r.world)
	r.settles()
	return r
}

// join starts another manager.
func (r *replicas) join() *manager.InProcess {
	operator := manager.Start(cluster.Config, r.electing)
	r.T.Cleanup(operator.Kill)
	return operator
}

// electing lets managers of the lane elect a leader.
func (w *world) electing(o *app.Options) {
	o.WatchLabelSelector = laneLabel + "=" + w.lane
	o.LeaderElect, o.LeaderElectionNamespace = true, w.name("leases")
	o.LeaderElectionLeaseDuration = *leaseDuration
}

func TestLeaderStopsAndTheOtherReplicaTakesOver(t *testing.T) {
	t.Parallel()
	r := newReplicasInStep(t, "leader-stops")
	led := r.holder()
	r.editSource(`{"data":{"color":"blue"}}`)
	require.NoError(t, r.first.Stop())

	r.group(two, false)
	r.group(three, true)
	r.settles()
	assert.NotEqual(t, led, r.holder())
}

func TestLeaderThatIsCutOffEndsAndWritesNothingMore(t *testing.T) {
	t.Parallel()
	r := newReplicasInStep(t, "leader-cut-off")
	led := r.holder()
	r.first.Arm(1, failpoint.Before) // it is about to write
	r.editSource(`{"data":{"color":"blue"}}`)
	<-r.first.Tripped()
	r.settles()
	assert.NotEqual(t, led, r.holder())

	r.first.Mend()
	select {
	case <-r.first.Ended():
		require.Error(t, r.first.Stop(), "it has lost the lease")
	case <-time.After(timeout):
		require.Fail(t, "the cut-off leader goes on")
	}
	r.Delete(r.object("ConfigMap", one, "settings"))
	r.settles()
	assert.Equal(t, 1, r.first.Writes(), "the write at which it was cut off is the last one that it tried")
}

func TestWriteThatArrivesAfterAChangeOfLeaderIsRefused(t *testing.T) {
	tests := map[string]struct {
		given func(*replicas)
		act   func(*replicas)
	}{
		"update": {
			given: func(*replicas) {},
			act:   func(r *replicas) { r.editSource(`{"data":{"color":"blue"}}`) },
		},
		"creation": {
			given: func(r *replicas) { r.remove(home) },
			act:   func(r *replicas) { r.source() },
		},
		"deletion": {
			given: func(*replicas) {},
			act:   func(r *replicas) { r.group(two, false) },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReplicasInStep(t, "late-"+name)
			test.given(r)
			r.settles()
			r.first.Arm(1, failpoint.Late)
			test.act(r)
			<-r.first.Tripped()
			r.settles() // the second has done it

			r.group(two, true)
			r.editSource(`{"data":{"color":"green"}}`)
			r.settles()
			code, err := r.first.Deliver()
			require.NoError(t, err)
			assert.Equal(t, http.StatusConflict, code)
			assert.Empty(t, r.problems())
		})
	}
}
