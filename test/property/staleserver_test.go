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
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/faults"
)

// TestStaleServerAnswers expects that an operator which starts without other faults is answered by the stale server it is switched to, so
// that the switches of the histories and of the soak have an effect. Informers that run when the operator is switched ask for a
// resourceVersion that the watch caches of the stale server have not seen, and are answered with 504.
func TestStaleServerAnswers(t *testing.T) {
	d := newDriver(t, 1)
	d.allowStaleServer(newStaleServer(t, cluster))
	d.testify()
	for range 4 {
		d.putProjection()
		d.putClusterProjection()
	}
	d.quiet()
	d.stop((*manager.InProcess).Kill)
	d.switchToStaleServer()
	d.start()
	require.Eventually(t, func() bool { return d.switchover.answered(d.user) > 0 }, timeout, interval, "the stale API server has answered nothing")
	d.quiet()
}

// staleServer is a second API server on the storage of a control plane. While an operator uses it, its connection to etcd stalls, so that
// it answers watches and lists from its watch caches, which do not change.
type staleServer struct {
	plane   *env.Environment
	etcd    string
	storage *faults.Relay
	server  *env.SecondServer

	mu       sync.Mutex
	users    int // operators that use it now
	switches int // of operators to it
	answered int // lists and watches
}

// newStaleServer starts the second server of the control plane. How often it has answered operators is logged at the end of the test, not
// expected: an operator that is switched to it may be stopped, without rights, or cut off by other faults.
func newStaleServer(t *testing.T, plane *env.Environment) *staleServer {
	t.Helper()
	p := &staleServer{plane: plane}
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
		t.Logf("%d switches to a stale API server, which answered %d lists and watches", p.switches, p.answered)
	})
	return p
}

// use stalls the storage of the second server, if no operator uses it yet.
func (p *staleServer) use() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.switches++
	if p.users++; p.users == 1 {
		p.storage.Stall()
	}
}

// leave lets the second server catch up when no operator uses it any more. What it was asked to write meanwhile is lost.
func (p *staleServer) leave(answered int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered += answered
	if p.users--; p.users == 0 {
		p.storage.Switch(p.etcd)
		p.storage.Resume()
	}
}

// switchover directs the requests of an operator to its API server, or to a stale one.
type switchover struct {
	stale    *staleServer
	server   *faults.Relay
	current  string
	switched atomic.Bool
	since    env.AuditMark
}

// allowStaleServer lets the operator be switched to the stale server, from the next one that is started.
func (d *driver) allowStaleServer(p *staleServer) {
	d.t.Helper()
	current, err := env.AddressOf(d.config.Host)
	require.NoError(d.t, err)
	server, err := faults.NewRelay(current)
	require.NoError(d.t, err)
	d.t.Cleanup(server.Close)
	d.switchover = &switchover{stale: p, server: server, current: current}
	d.t.Cleanup(d.switchover.end)
	d.config = rest.CopyConfig(d.config)
	d.config.Host = "https://" + server.Address()
	d.config = env.Intercept(d.config, d.switchover.intercept)
}

// switchToStaleServer directs the operator to the stale API server, and waits for a moment until that has answered. The operator uses it
// until the next calm.
func (d *driver) switchToStaleServer() {
	d.t.Helper()
	if !d.usesStaleServer() {
		since, err := d.switchover.stale.server.AuditMark()
		require.NoError(d.t, err)
		d.switchover.since = since
		d.switchover.switched.Store(true)
		d.switchover.stale.use()
		d.switchover.server.Switch(d.switchover.stale.server.Address())
	}
	const moment = 3 * time.Second
	for deadline := time.Now().Add(moment); d.switchover.answered(d.user) == 0 && time.Now().Before(deadline); {
		<-time.After(interval)
	}
	d.did(nil, "the API server is stale from now on")
}

// usesStaleServer reports whether the operator uses the stale API server.
func (d *driver) usesStaleServer() bool { return d.switchover != nil && d.switchover.switched.Load() }

// leaveStaleServer directs the operator to its own API server again.
func (d *driver) leaveStaleServer() {
	if d.usesStaleServer() {
		d.switchover.back(d.user)
	}
}

// switchBack is leaveStaleServer as an action.
func (d *driver) switchBack() {
	d.leaveStaleServer()
	d.did(nil, "the API server is not stale any more")
}

func (s *switchover) back(user string) {
	s.switched.Store(false)
	answered := s.answered(user)
	s.server.Switch(s.current)
	s.stale.leave(answered)
}

// end leaves the stale server if the test has ended there.
func (s *switchover) end() {
	if s.switched.Swap(false) {
		s.stale.leave(0)
	}
}

// intercept lets the informers of an operator that uses the stale server begin with lists that may be old.
func (s *switchover) intercept(request *http.Request, next http.RoundTripper) (*http.Response, error) {
	if s.switched.Load() {
		return withoutStreamedLists(request, next)
	}
	return next.RoundTrip(request)
}

// answered returns how many lists and watches of the user the stale server has answered since the switch.
func (s *switchover) answered(user string) int {
	requests, err := s.stale.server.RequestsSince(s.since, user)
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
