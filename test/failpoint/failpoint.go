package failpoint

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Mode says at which end of a write the connection breaks.
type Mode string

// Modes.
const (
	// Before breaks the connection before the request is sent: the API server never hears of it.
	Before Mode = "before the request"
	// After breaks the connection when the API server has acted and answered: the answer is lost.
	After Mode = "after the request"
	// Late breaks the connection while the request is under way. It arrives when Deliver is called.
	Late Mode = "while the request is under way"
)

// ErrCut is what every request gets once the connection is broken.
var ErrCut = errors.New("the connection is cut")

// Failpoint counts writes, and breaks every connection from one of them on. It is safe for concurrent use.
type Failpoint struct {
	mu      sync.Mutex
	writes  int
	trip    int // the write that trips; 0: none
	mode    Mode
	single  bool // only the one write suffers
	cut     bool
	tripped chan struct{}
	open    map[*body]struct{}
	late    *http.Request
}

// New returns a failpoint that lets everything pass.
func New() *Failpoint {
	return &Failpoint{tripped: make(chan struct{}), open: map[*body]struct{}{}}
}

// Arm makes the given write, counted from 1 and from now on, the one at which every connection breaks.
func (f *Failpoint) Arm(write int, mode Mode) { f.arm(write, mode, false) }

// ArmOnce makes the given write the only one that suffers.
func (f *Failpoint) ArmOnce(write int, mode Mode) { f.arm(write, mode, true) }

func (f *Failpoint) arm(write int, mode Mode, single bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cut {
		return // it has tripped already, which has to be seen
	}
	f.writes, f.trip, f.mode, f.single = 0, write, mode, single
	f.tripped = make(chan struct{})
}

// Disarm lets every further write pass. It reports whether that came in time: the write that trips has not been tried.
func (f *Failpoint) Disarm() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.trip > 0 && f.writes >= f.trip {
		return false
	}
	f.trip = 0
	return true
}

// Tripped is closed when the failpoint has tripped since it was armed.
func (f *Failpoint) Tripped() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tripped
}

// Writes returns how many writes were tried since the failpoint was armed, or made.
func (f *Failpoint) Writes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writes
}

// Cut breaks every connection now, open watches among them.
func (f *Failpoint) Cut() {
	f.mu.Lock()
	open := f.sever()
	f.mu.Unlock()
	closeAll(open)
}

// sever lets no request pass any more, and returns what is open. The lock is held.
func (f *Failpoint) sever() map[*body]struct{} {
	f.cut = true
	open := f.open
	f.open = map[*body]struct{}{}
	return open
}

func closeAll(open map[*body]struct{}) {
	for b := range open {
		_ = b.ReadCloser.Close() // nobody reads on
	}
}

// Mend lets requests pass again.
func (f *Failpoint) Mend() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cut = false
}

// Wrap returns the transport with the failpoint in it, as rest.Config takes it.
func (f *Failpoint) Wrap(next http.RoundTripper) http.RoundTripper { return transport{f, next} }

// admit counts a write, and tells how it is to fare.
func (f *Failpoint) admit(request *http.Request) (trips, passes bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cut {
		return false, false
	}
	if !isWrite(request) {
		return false, true
	}
	f.writes++
	trips = f.writes == f.trip
	return trips, !trips || f.mode == After
}

// leases is in the paths of leases.
const leases = "/leases"

// isWrite tells whether the request changes what people and the operator look at. Leases and events are neither.
func isWrite(request *http.Request) bool {
	if request.Method == http.MethodGet || request.Method == http.MethodHead || request.Method == http.MethodOptions {
		return false
	}
	path := request.URL.Path
	return !strings.Contains(path, leases) && !strings.Contains(path, "/events")
}

type transport struct {
	failpoint *Failpoint
	next      http.RoundTripper
}

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	trips, passes := t.failpoint.admit(request)
	if !passes {
		if trips {
			t.failpoint.keep(request)
			t.failpoint.blow()
		}
		return nil, ErrCut
	}
	response, err := t.next.RoundTrip(request)
	if err == nil && trips {
		_, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close() // the answer is dropped
	}
	if trips {
		t.failpoint.blow()
		return nil, errors.Join(ErrCut, err)
	}
	if err == nil {
		response.Body = t.failpoint.track(response.Body)
	}
	return response, err
}

// keep notes a request that is to arrive later.
func (f *Failpoint) keep(request *http.Request) {
	later := request.Clone(context.WithoutCancel(request.Context()))
	if request.GetBody != nil {
		later.Body, _ = request.GetBody() // bytes in memory
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.late = later
}

// Deliver lets the request arrive that was under way when the failpoint tripped, and returns the status of the answer.
func (f *Failpoint) Deliver(network http.RoundTripper) (int, error) {
	response, err := network.RoundTrip(f.late)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

func (f *Failpoint) blow() {
	f.mu.Lock()
	var open map[*body]struct{}
	if !f.single {
		open = f.sever()
	}
	select {
	case <-f.tripped:
	default:
		close(f.tripped)
	}
	f.mu.Unlock()
	closeAll(open)
}

// track notes an open body, so that Cut can close it.
func (f *Failpoint) track(reader io.ReadCloser) io.ReadCloser {
	b := &body{ReadCloser: reader, failpoint: f}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cut {
		_ = reader.Close() // the cut came while the answer was under way
		return b
	}
	f.open[b] = struct{}{}
	return b
}

type body struct {
	io.ReadCloser
	failpoint *Failpoint
}

func (b *body) Close() error {
	b.failpoint.mu.Lock()
	delete(b.failpoint.open, b)
	b.failpoint.mu.Unlock()
	return b.ReadCloser.Close()
}
