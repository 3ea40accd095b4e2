package crash_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/failpoint"
)

// replicas are two managers that elect a leader; the first one leads.
type replicas struct {
	*world
	first, second *failpoint.Manager
}

// newReplicas returns replicas that serve a world which is in step.
func newReplicas(t *testing.T, lane string) *replicas {
	t.Helper()
	w := newWorld(t, lane, v1.KindClusterProjection)
	w.namespace("leases", "")
	replica := func() *failpoint.Manager {
		manager := failpoint.Start(cluster.Config, func(o *app.Options) {
			o.WatchLabelSelector = laneLabel + "=" + lane
			o.LeaderElect, o.LeaderElectionNamespace = true, w.name("leases")
			o.LeaderElectionLeaseDuration = 5 * time.Second
		})
		t.Cleanup(manager.Kill)
		return manager
	}
	r := &replicas{world: w, first: replica()}
	require.Eventually(t, func() bool { return r.leader() != "" }, soon, tick)
	r.second = replica()
	sourceAndRule(w)
	w.settles()
	return r
}

// leader returns who holds the lease.
func (r *replicas) leader() string {
	var leases coordinationv1.LeaseList
	if err := r.client.List(r.t.Context(), &leases); err != nil {
		return ""
	}
	for _, lease := range leases.Items {
		if lease.Namespace == r.name("leases") && lease.Spec.HolderIdentity != nil {
			return *lease.Spec.HolderIdentity
		}
	}
	return ""
}

func TestLeaderStopsAndTheOtherReplicaTakesOver(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, "leader-stops")
	led := r.leader()
	r.editSource(`{"data":{"color":"blue"}}`)
	require.NoError(t, r.first.Stop())

	r.group(two, false)
	r.group(three, true)
	r.settles()
	assert.NotEqual(t, led, r.leader())
}

func TestLeaderThatIsCutOffEndsAndWritesNothingMore(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, "leader-cut-off")
	led := r.leader()
	r.first.Cut()
	written := r.first.Writes()
	r.editSource(`{"data":{"color":"blue"}}`)
	r.settles()
	assert.NotEqual(t, led, r.leader())

	r.first.Mend()
	select {
	case <-r.first.Ended():
		require.Error(t, r.first.Stop(), "it has lost the lease")
	case <-time.After(soon):
		require.Fail(t, "the cut-off leader goes on")
	}
	r.delete(r.object("ConfigMap", one, "settings"))
	r.settles()
	assert.Equal(t, written, r.first.Writes())
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
			r := newReplicas(t, "late-"+name)
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
