package fleet

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

var (
	// errDisconnected is why a gate closes whose cluster has closed the last connection, or is behind one that broke.
	errDisconnected = errors.New("the connection has ended")
	// errExchanged is the error of requests whose connections were exchanged.
	errExchanged = errors.New("the connection was exchanged for one with other credentials")
)

// defaultPing is how long a connection may be silent until it is asked whether it lives.
const defaultPing = 30 * time.Second

// Dial opens a connection to the address.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// pool is the connections that share an address, certificates and authorities. Each was asked which cluster it leads to before it is added. By
// HTTP/2, one serves all requests and watches.
type pool struct {
	transport *http.Transport
	address   string
	ended     func() // called when the last connection has ended; must not block

	mu       sync.Mutex
	members  []*http.ClientConn
	requests int                    // that are under way and are no watches
	watches  map[*watching]struct{} // that are open
	retired  bool                   // it takes no new requests
}

// watching is a watch that is open.
type watching struct{ cancel context.CancelCauseFunc }

// newPool returns a pool without a connection.
func newPool(access Access, options Options) (*pool, error) {
	config, err := access.tlsConfig()
	if err != nil {
		return nil, err
	}
	ping := cmp.Or(options.PingAfter, defaultPing)
	p := &pool{
		address: net.JoinHostPort(access.Server.Hostname(), cmp.Or(access.Server.Port(), "443")),
		ended:   func() { options.Gate.Close(errDisconnected) }, watches: map[*watching]struct{}{},
		// No transport of client-go: those are shared by all that have the same settings.
		transport: &http.Transport{
			TLSClientConfig: config, DialContext: options.Dial, Proxy: proxy(access), TLSHandshakeTimeout: 10 * time.Second,
			ForceAttemptHTTP2: true, HTTP2: &http.HTTP2Config{SendPingTimeout: ping, PingTimeout: ping / 2},
			DisableCompression: true, // the other cluster decides what it is unzipped to
		},
	}
	return p, nil
}

// connect opens a connection that is in no pool yet.
func (p *pool) connect(ctx context.Context) (*http.ClientConn, error) {
	return p.transport.NewClientConn(ctx, "https", p.address)
}

// add has a connection serve requests.
func (p *pool) add(conn *http.ClientConn) error {
	p.mu.Lock()
	retired := p.retired
	if !retired {
		p.members = append(p.members, conn)
	}
	p.mu.Unlock()
	if retired {
		return errExchanged
	}
	conn.SetStateHook(p.look)
	if conn.Err() != nil {
		p.look(conn)
		return errDisconnected
	}
	return nil
}

// look drops a connection that has ended. One that takes no new requests stays until those that are under way have ended.
func (p *pool) look(conn *http.ClientConn) {
	if conn.Err() == nil || conn.InFlight() > 0 {
		return
	}
	p.mu.Lock()
	before := len(p.members)
	p.members = slices.DeleteFunc(p.members, func(other *http.ClientConn) bool { return other == conn })
	isLast := before == 1 && len(p.members) == 0
	p.mu.Unlock()
	if isLast {
		p.ended()
	}
}

// take reserves a place for one request on a connection; nil: there is none.
func (p *pool) take() *http.ClientConn {
	for _, conn := range p.open() {
		if conn.Reserve() == nil {
			return conn
		}
	}
	return nil
}

// open returns the connections that take requests.
func (p *pool) open() []*http.ClientConn {
	p.mu.Lock()
	members := slices.Clone(p.members)
	p.mu.Unlock()
	return slices.DeleteFunc(members, func(conn *http.ClientConn) bool { return conn.Err() != nil })
}

// drop ends all connections, which are not those of the cluster.
func (p *pool) drop() {
	p.mu.Lock()
	members := p.members
	p.members = nil
	p.mu.Unlock()
	for _, conn := range members {
		_ = conn.Close() // those who read or write there notice
	}
}

// begin notes a request, or a watch if the argument is not nil. It returns false if the pool takes none.
func (p *pool) begin(watch *watching) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.retired:
		return false
	case watch != nil:
		p.watches[watch] = struct{}{}
	default:
		p.requests++
	}
	return true
}

// end notes that a request or a watch has ended.
func (p *pool) end(watch *watching) {
	p.mu.Lock()
	if watch != nil {
		delete(p.watches, watch)
	} else {
		p.requests--
	}
	idle := p.retired && p.requests == 0
	p.mu.Unlock()
	if idle {
		p.drop()
	}
}

// retire ends the watches, and the connections when the other requests have ended.
func (p *pool) retire() {
	p.mu.Lock()
	p.retired = true
	watches, idle := p.watches, p.requests == 0
	p.watches = map[*watching]struct{}{}
	p.mu.Unlock()
	for watch := range watches {
		watch.cancel(errExchanged)
	}
	if idle {
		p.drop()
	}
}

func (p *pool) isRetired() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.retired
}
