package app

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

// errNoLease is what a write gets that would be sent without a lease.
var errNoLease = errors.New("the lease has run out; another replica may lead by now")

// fence keeps a leader from writing when its lease has run out. The manager ends such a leader, but a process that was
// frozen goes on where it was, and would write before it notices how late it is.
type fence struct {
	duration time.Duration
	clock    func() time.Time

	mu      sync.Mutex
	renewed time.Time // when the last renewal that succeeded was sent; zero: this process has never led
}

// fenced returns the configuration of a process that elects a leader, with a fence in it.
func fenced(config *rest.Config, options Options) *rest.Config {
	if !options.LeaderElect {
		return config
	}
	guard := &fence{duration: options.LeaderElectionLeaseDuration, clock: time.Now}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return fencedTransport{guard, next} })
	return config
}

type fencedTransport struct {
	fence *fence
	next  http.RoundTripper
}

func (t fencedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	switch {
	case request.Method == http.MethodGet:
		return t.next.RoundTrip(request)
	case isLease(request):
		sent := t.fence.clock()
		response, err := t.next.RoundTrip(request)
		if err == nil && response.StatusCode < http.StatusMultipleChoices {
			t.fence.renew(sent)
		}
		return response, err
	case t.fence.closed():
		if request.Body != nil {
			_ = request.Body.Close() // as a transport has to
		}
		return nil, errNoLease
	default:
		return t.next.RoundTrip(request)
	}
}

// isLease tells whether the request is about a lease, which decides who may write the rest.
func isLease(request *http.Request) bool {
	return strings.HasPrefix(request.URL.Path, "/apis/coordination.k8s.io/")
}

func (f *fence) renew(sent time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.renewed = sent
}

// closed tells whether the lease has run out, by the clock on the wall, too: the other one stops while a machine sleeps.
func (f *fence) closed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock()
	return !f.renewed.IsZero() && max(now.Sub(f.renewed), now.Round(0).Sub(f.renewed.Round(0))) >= f.duration
}
