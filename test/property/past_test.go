package property_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/faults"
)

// past is a second API server on the storage of a control plane. While an operator is there, its connection to etcd stalls, so that it
// answers watches and lists from its watch caches, which know nothing of what happens.
type past struct {
	plane   *env.Environment
	etcd    string
	storage *faults.Relay
	server  *env.SecondServer

	mu       sync.Mutex
	visitors int
	visits   int
	answered int
}

// newPast starts the second server of the control plane, and expects at the end of the test that it has answered operators.
func newPast(t *testing.T, plane *env.Environment) *past {
	t.Helper()
	p := &past{plane: plane}
	var err error
	p.etcd, err = env.AddressOf(plane.Storage())
	require.NoError(t, err)
	p.storage, err = faults.NewRelay(p.etcd)
	require.NoError(t, err)
	t.Cleanup(p.storage.Close)
	p.server, err = plane.StartSecondServer(t.Context(), p.storage.Address())
	require.NoError(t, err)
	t.Cleanup(func() {
		p.server.Kill()
		t.Logf("%d visits to an API server that serves the past, which answered %d lists and watches", p.visits, p.answered)
		require.True(t, p.answered > 0 || p.visits == 0, "the past has answered nothing")
	})
	return p
}

// enter stalls the storage of the second server, if nobody is there yet.
func (p *past) enter() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.visits++
	if p.visitors++; p.visitors == 1 {
		p.storage.Stall()
	}
}

// leave lets the second server catch up when nobody is there any more. What it was asked to write meanwhile is lost.
func (p *past) leave(answered int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered += answered
	if p.visitors--; p.visitors == 0 {
		p.storage.Switch(p.etcd)
		p.storage.Resume()
	}
}

// visit is where the requests of an operator go: to its API server, or to one that serves the past.
type visit struct {
	past   *past
	server *faults.Relay
	fresh  string
	there  atomic.Bool
	since  env.AuditMark
}

// mayVisit lets the operator change over to the second server, from the next one that is started.
func (d *driver) mayVisit(p *past) {
	d.t.Helper()
	fresh, err := env.AddressOf(d.config.Host)
	require.NoError(d.t, err)
	server, err := faults.NewRelay(fresh)
	require.NoError(d.t, err)
	d.t.Cleanup(server.Close)
	d.visit = &visit{past: p, server: server, fresh: fresh}
	d.t.Cleanup(d.visit.end)
	d.config = rest.CopyConfig(d.config)
	d.config.Host = "https://" + server.Address()
	d.config = env.Intercept(d.config, d.visit.intercept)
}

// changeOver brings the operator to the API server that serves the past, and waits for a moment until it has answered. The operator is
// there until the next calm.
func (d *driver) changeOver() {
	d.t.Helper()
	if !d.inThePast() {
		since, err := d.visit.past.server.AuditMark()
		require.NoError(d.t, err)
		d.visit.since = since
		d.visit.there.Store(true)
		d.visit.past.enter()
		d.visit.server.Switch(d.visit.past.server.Address())
	}
	const moment = 3 * time.Second
	for deadline := time.Now().Add(moment); d.visit.answered(d.user) == 0 && time.Now().Before(deadline); {
		<-time.After(interval)
	}
	d.did(nil, "the API server serves the past from now on")
}

// inThePast reports whether the operator is at a server that serves the past.
func (d *driver) inThePast() bool { return d.visit != nil && d.visit.there.Load() }

// leavePast brings the operator back to its API server.
func (d *driver) leavePast() {
	if d.inThePast() {
		d.visit.back(d.user)
	}
}

// returns is leavePast as an action.
func (d *driver) returns() {
	d.leavePast()
	d.did(nil, "the API server serves the present")
}

func (v *visit) back(user string) {
	v.there.Store(false)
	answered := v.answered(user)
	v.server.Switch(v.fresh)
	v.past.leave(answered)
}

// end leaves the past when the test has ended in it.
func (v *visit) end() {
	if v.there.Swap(false) {
		v.past.leave(0)
	}
}

// intercept lets the informers of an operator in the past begin with lists that may be old.
func (v *visit) intercept(request *http.Request, next http.RoundTripper) (*http.Response, error) {
	if v.there.Load() {
		return withoutStreamedLists(request, next)
	}
	return next.RoundTrip(request)
}

// answered returns how many lists and watches of the user the second server has answered in this visit.
func (v *visit) answered(user string) int {
	requests, err := v.past.server.RequestsSince(v.since, user)
	if err != nil {
		return 0
	}
	count := 0
	for _, request := range requests {
		if (request.Verb == "list" || request.Verb == "watch") && request.Code == http.StatusOK {
			count++
		}
	}
	return count
}
