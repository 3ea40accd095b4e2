package fleet

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

var (
	// errDisconnected is why a gate closes whose cluster has closed the last connection, or is behind one that broke.
	errDisconnected = errors.New("the connection has ended")
	// errUnproven is the error of a request that would be the first one on a new connection.
	errUnproven = errors.New("nothing shows yet that the connection leads to the same cluster")
	// errExchanged is the error of a request whose credentials were exchanged while it waited for a connection.
	errExchanged = errors.New("the credentials were exchanged")
)

// Dial opens a connection to the address.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// route is where requests go, and with which token. It is never changed.
type route struct {
	*connections
	access Access
}

// send sends the request to the cluster.
func (r *route) send(request *http.Request) (*http.Response, error) {
	out := request.Clone(request.Context())
	server := r.access.Server
	out.Host, out.URL.Scheme, out.URL.Host = server.Host, server.Scheme, server.Host
	out.URL.RawPath = strings.TrimSuffix(server.EscapedPath(), "/") + request.URL.EscapedPath()
	out.URL.Path = strings.TrimSuffix(server.Path, "/") + request.URL.Path
	out.Header.Del("Authorization")
	if r.access.Token != "" {
		out.Header.Set("Authorization", "Bearer "+r.access.Token)
	}
	return r.transport.RoundTrip(out)
}

// connections are those that share an address, certificates and authorities. The first one has to be proven: somebody sends a request on it that
// shows which cluster it leads to. It serves all other requests and watches by HTTP/2. When the last one has ended, the next one has to be
// proven again.
type connections struct {
	transport *http.Transport
	dial      Dial
	ended     func() // called when the last one has ended; must not block

	mu     sync.Mutex
	open   map[*connection]struct{}
	proven bool
	closed bool
}

// newConnections returns connections of which none is open.
func newConnections(access Access, dial Dial, ended func()) (*connections, error) {
	config, err := access.tlsConfig()
	if err != nil {
		return nil, err
	}
	c := &connections{dial: dial, ended: ended, open: map[*connection]struct{}{}}
	// No transport of client-go: those are shared by all that have the same settings.
	transport := &http.Transport{
		TLSClientConfig: config, DialContext: c.connect, MaxIdleConnsPerHost: 25,
		TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second,
	}
	if access.Proxy != nil {
		transport.Proxy = http.ProxyURL(access.Proxy)
	}
	c.transport = utilnet.SetTransportDefaults(transport)
	return c, nil
}

// connect opens a connection for a request with that context.
func (c *connections) connect(ctx context.Context, network, address string) (net.Conn, error) {
	if probed(ctx) == nil && !c.isProven() {
		return nil, errUnproven
	}
	opened, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	tracked := &connection{Conn: opened, of: c}
	if !c.add(tracked) {
		_ = opened.Close()
		return nil, errExchanged
	}
	return tracked, nil
}

func (c *connections) add(opened *connection) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.open[opened] = struct{}{}
	return true
}

// remove notes that a connection has ended.
func (c *connections) remove(ended *connection) {
	c.mu.Lock()
	delete(c.open, ended)
	isLast := len(c.open) == 0 && c.proven && !c.closed
	if len(c.open) == 0 {
		c.proven = false
	}
	c.mu.Unlock()
	if isLast {
		c.ended()
	}
}

// prove notes that the connections lead to the right cluster. It fails if none is open any more.
func (c *connections) prove() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) == 0 {
		return errDisconnected
	}
	c.proven = true
	return nil
}

// disprove notes that they do not.
func (c *connections) disprove() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proven = false
}

func (c *connections) isProven() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.proven
}

// close ends all connections. No other one is opened.
func (c *connections) close() {
	c.mu.Lock()
	open := c.open
	c.open, c.closed = map[*connection]struct{}{}, true
	c.mu.Unlock()
	for connection := range open {
		_ = connection.Conn.Close() // those who read or write there notice
	}
	c.transport.CloseIdleConnections()
}

// connection is one that is tracked until it ends.
type connection struct {
	net.Conn
	of   *connections
	once sync.Once
}

// Close implements net.Conn.
func (c *connection) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { c.of.remove(c) })
	return err
}

type probeKey struct{}

// asProbe returns a context whose requests pass a closed gate, take this route, and may be the first ones on a connection.
func asProbe(ctx context.Context, of *route) context.Context {
	return context.WithValue(ctx, probeKey{}, of)
}

// probed returns the route that a request with that context probes; nil: it is no probe.
func probed(ctx context.Context) *route {
	of, _ := ctx.Value(probeKey{}).(*route)
	return of
}

// hostOf returns the host by which clients call the cluster. It is in the errors of requests, and is never resolved.
func hostOf(name string) string { return name + ".cluster.projection.sh" }

func urlOf(name string) string { return (&url.URL{Scheme: "https", Host: hostOf(name)}).String() }
