package app

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// errNoLease is what a write gets that would be sent without a lease.
var errNoLease = errors.New("the lease has run out; another replica may lead by now")

// fence keeps a leader from writing when its lease has run out. The manager ends such a leader, but a process that was
// frozen goes on where it was, and would write before it notices how late it is.
//
// It stands in two places. The transport refuses requests, one by one. What was past that when the process froze, and
// waited for its turn on a connection, is held by the connection, which tells no request from another and ends.
type fence struct {
	lease    types.NamespacedName
	duration time.Duration
	clock    func() time.Time

	mu       sync.Mutex
	renewed  time.Time // when the last renewal that succeeded was sent; zero: this process has never led
	released bool      // the lease was given up
}

// fenced returns the configuration of a process that is elected by the lease, with a fence in it, and the one that the
// election needs: on connections of its own, a renewal that comes late is still sent. It opens the fence if nobody else leads.
func fenced(config *rest.Config, lease types.NamespacedName, duration time.Duration) (work, election *rest.Config) {
	guard := &fence{lease: lease, duration: duration, clock: time.Now}
	election = rest.CopyConfig(config)
	election.Wrap(func(next http.RoundTripper) http.RoundTripper { return fencedTransport{guard, next} })
	work = rest.CopyConfig(election)
	work.Dial = guard.dialer(config.Dial)
	return work, election
}

type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

// dialer returns one whose connections are fenced. Without another, it dials as client-go does.
func (f *fence) dialer(next dialer) dialer {
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
	fence *fence
}

func (c fencedConnection) Write(data []byte) (int, error) {
	if c.fence.expired() {
		return 0, errors.Join(errNoLease, c.Close())
	}
	return c.Conn.Write(data)
}

type fencedTransport struct {
	fence *fence
	next  http.RoundTripper
}

func (t fencedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	switch {
	case request.Method == http.MethodGet:
		return t.next.RoundTrip(request)
	case t.fence.isElection(request):
		return t.elect(request)
	case t.fence.closed():
		if request.Body != nil {
			_ = request.Body.Close() // as a transport has to
		}
		return nil, errNoLease
	default:
		return t.next.RoundTrip(request)
	}
}

// elect passes on what makes or keeps this process the leader, or ends that. Whoever is at work while the lease is given
// up has no part in it any more.
func (t fencedTransport) elect(request *http.Request) (*http.Response, error) {
	if isRelease(request) {
		t.fence.release()
		return t.next.RoundTrip(request)
	}
	sent := t.fence.clock()
	response, err := t.next.RoundTrip(request)
	if err == nil && response.StatusCode < http.StatusMultipleChoices {
		t.fence.renew(sent)
	}
	return response, err
}

// isElection reports whether the request writes the lease that decides who may write the rest. Copies may be leases, too,
// but are neither posted nor put.
func (f *fence) isElection(request *http.Request) bool {
	leases := "/apis/coordination.k8s.io/v1/namespaces/" + f.lease.Namespace + "/leases"
	switch request.Method {
	case http.MethodPost:
		return strings.HasSuffix(request.URL.Path, leases)
	case http.MethodPut:
		return strings.HasSuffix(request.URL.Path, leases+"/"+f.lease.Name)
	default:
		return false
	}
}

// isRelease reports whether the request leaves the lease without a holder.
func isRelease(request *http.Request) bool {
	if request.GetBody == nil {
		return false
	}
	body, err := request.GetBody()
	if err != nil {
		return false
	}
	defer func() { _ = body.Close() }() // it is in memory
	content, err := io.ReadAll(body)
	if err != nil {
		return false
	}
	var lease coordinationv1.Lease
	_, _, err = clientgoscheme.Codecs.UniversalDeserializer().Decode(content, nil, &lease)
	return err == nil && (lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "")
}

func (f *fence) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.released = true
}

func (f *fence) renew(sent time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.renewed = sent
}

// closed reports whether the lease was given up or has run out.
func (f *fence) closed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.released || f.late()
}

// expired reports whether the lease has run out. Giving it up is a request, too, which a connection has to let pass.
func (f *fence) expired() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.late()
}

// late goes by the clock on the wall, too: the other one stops while a machine sleeps.
func (f *fence) late() bool {
	now := f.clock()
	return !f.renewed.IsZero() && max(now.Sub(f.renewed), now.Round(0).Sub(f.renewed.Round(0))) >= f.duration
}
