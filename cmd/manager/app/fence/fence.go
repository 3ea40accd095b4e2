// Package fence keeps a former leader from writing.
package fence

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// errNoLease is the error of a write by a process without a valid lease.
var errNoLease = errors.New("the lease has run out; another replica may lead by now")

// Fence keeps a leader from writing when its lease has expired, or is another one's. The manager ends such a leader, but a process that was
// frozen continues where it was, and would write before it notices that it is late; and one that has lost its lease to another one goes on
// for as long as it may try to renew it.
//
// Example: somebody deletes the lease. A standby creates it again, and leads. The former leader cannot renew it, reads it, and sees
// another holder. It would try, and write copies, for ten seconds more.
//
// It works in two places. The transport refuses single requests. A request that was past the transport when the process froze, and
// waited for a connection, is refused by the connection: it closes, whatever is to be sent.
type Fence struct {
	lease    types.NamespacedName
	duration time.Duration
	clock    func() time.Time

	mu       sync.Mutex
	renewed  time.Time // when the last renewal that succeeded was sent; zero: this process has never led
	identity string    // the holder that it named
	released bool      // the lease was given up
	taken    bool      // the lease was read after that, and names another holder
}

// New returns the fence of a process that is elected by the lease.
func New(lease types.NamespacedName, duration time.Duration) *Fence {
	return &Fence{lease: lease, duration: duration, clock: time.Now}
}

// Configs returns two configurations for the API server that has the lease: one for the work of the process, and one for the election.
// Those have different connections, so that a late renewal of the lease is still sent. If it succeeds, the process leads still, and the
// fence lets requests pass again.
func (f *Fence) Configs(config *rest.Config) (work, election *rest.Config) {
	election = rest.CopyConfig(config)
	election.Wrap(func(next http.RoundTripper) http.RoundTripper { return fencedTransport{f, next} })
	work = rest.CopyConfig(election)
	work.Dial = f.Dialer(config.Dial)
	return work, election
}

// Dial opens a connection to the address.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// Dialer returns a dialer whose connections are fenced. If next is nil, it dials as client-go does.
func (f *Fence) Dialer(next Dial) Dial {
	if next == nil {
		next = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := next(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return fencedConnection{connection, f}, nil
	}
}

type fencedConnection struct {
	net.Conn
	fence *Fence
}

func (c fencedConnection) Write(data []byte) (int, error) {
	if c.fence.expired() {
		return 0, errors.Join(errNoLease, c.Close())
	}
	return c.Conn.Write(data)
}

type fencedTransport struct {
	fence *Fence
	next  http.RoundTripper
}

func (t fencedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	switch {
	case t.fence.readsLease(request):
		return t.observe(request)
	case request.Method == http.MethodGet:
		return t.next.RoundTrip(request)
	case t.fence.isElection(request):
		return t.elect(request)
	default:
		return t.fence.pass(request, t.next)
	}
}

// pass sends a request that may write, unless the lease is lost.
func (f *Fence) pass(request *http.Request, next http.RoundTripper) (*http.Response, error) {
	if !f.closed() {
		return next.RoundTrip(request)
	}
	if request.Body != nil {
		_ = request.Body.Close() // as a transport has to
	}
	return nil, errNoLease
}

// elect sends a request that makes or keeps this process the leader, or gives the lease up. Reconciles that still run while the lease
// is given up must not write any more.
func (t fencedTransport) elect(request *http.Request) (*http.Response, error) {
	holder, known := holderIn(request)
	if known && holder == "" {
		t.fence.release()
		return t.next.RoundTrip(request)
	}
	sent := t.fence.clock()
	response, err := t.next.RoundTrip(request)
	if err == nil && response.StatusCode < http.StatusMultipleChoices {
		t.fence.renew(sent, holder)
	}
	return response, err
}

// isElection reports whether the request writes the lease that decides who may write the rest. Copies may be leases, too,
// but are neither posted nor put.
func (f *Fence) isElection(request *http.Request) bool {
	switch request.Method {
	case http.MethodPost:
		return strings.HasSuffix(request.URL.Path, f.leases())
	case http.MethodPut:
		return f.isOfLease(request)
	default:
		return false
	}
}

func (f *Fence) leases() string {
	return "/apis/coordination.k8s.io/v1/namespaces/" + f.lease.Namespace + "/leases"
}

func (f *Fence) isOfLease(request *http.Request) bool {
	return strings.HasSuffix(request.URL.Path, f.leases()+"/"+f.lease.Name)
}

func (f *Fence) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.released = true
}

func (f *Fence) renew(sent time.Time, identity string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.renewed, f.identity, f.taken = sent, identity, false
}

// closed reports whether the lease was given up, has run out, or is another one's.
func (f *Fence) closed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.released || f.taken || f.late()
}

// expired reports whether the lease has run out. A connection goes by this, and not by closed: the request that gives the lease up is
// sent on it, too.
func (f *Fence) expired() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.late()
}

// late goes by the wall clock, too: the monotonic clock stops while a machine sleeps.
func (f *Fence) late() bool {
	now := f.clock()
	return !f.renewed.IsZero() && max(now.Sub(f.renewed), now.Round(0).Sub(f.renewed.Round(0))) >= f.duration
}
