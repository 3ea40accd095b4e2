package fleet

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/sync/semaphore"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// check asks which cluster it is, by requests that have its context.
type check = func(context.Context) error

// route is where requests go, and with which token. It is never changed.
type route struct {
	*pool
	access  Access
	growing *semaphore.Weighted // held by a request that opens a connection
}

func newRoute(access Access, options Options) (*route, error) {
	pool, err := newPool(access, options)
	return &route{pool: pool, access: access, growing: semaphore.NewWeighted(1)}, err
}

// withToken returns a route on the same connections.
func (r *route) withToken(access Access) *route {
	return &route{pool: r.pool, access: access, growing: r.growing}
}

// send sends the request on the connection, which has a place for it.
func (r *route) send(conn *http.ClientConn, request *http.Request) (*http.Response, error) {
	out := request.Clone(request.Context())
	server := r.access.Server
	out.Host, out.URL.Scheme, out.URL.Host = server.Host, server.Scheme, server.Host
	out.URL.RawPath = strings.TrimSuffix(server.EscapedPath(), "/") + request.URL.EscapedPath()
	out.URL.Path = strings.TrimSuffix(server.Path, "/") + request.URL.Path
	out.Header.Del("Authorization")
	if r.access.Token != "" {
		out.Header.Set("Authorization", "Bearer "+r.access.Token)
	}
	response, err := conn.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	response.Request = request // without the token
	return response, nil
}

// probing is a probe that is under way.
type probing struct {
	route   *route
	conn    *http.ClientConn
	failure error // of its last request, if that has no answer
}

type probeKey struct{}

// probeIn returns the probe to which a request with that context belongs; nil: to none.
func probeIn(ctx context.Context) *probing {
	of, _ := ctx.Value(probeKey{}).(*probing)
	return of
}

// ask runs the check on the connection.
func (r *route) ask(ctx context.Context, conn *http.ClientConn, check check) error {
	p := &probing{route: r, conn: conn}
	err := check(context.WithValue(ctx, probeKey{}, p))
	if err != nil && p.failure != nil {
		return p.failure
	}
	return err
}

// openNext opens a connection, asks which cluster it leads to, and adds it to the pool if it is the right one.
func (r *route) openNext(ctx context.Context, check check) error {
	conn, err := r.connect(ctx)
	if err != nil {
		return err
	}
	if err := r.ask(ctx, conn, check); err != nil {
		_ = conn.Close() // it was of no use
		return r.believe(err)
	}
	if err := r.add(conn); err != nil {
		_ = conn.Close() // likewise
		return err
	}
	return nil
}

// believe ends all connections if one leads to another cluster: nobody knows where the others would lead next.
func (r *route) believe(err error) error {
	if isAnotherCluster(err) {
		r.drop()
	}
	return err
}

// probe asks on a connection that is open, or on a new one.
func (r *route) probe(ctx context.Context, check check) error {
	for _, conn := range r.open() {
		if conn.Available() == 0 {
			continue
		}
		err := r.ask(ctx, conn, check)
		if err != nil && !isAnswer(err) {
			_ = conn.Close() // it does not work
		}
		return r.believe(err)
	}
	return r.openNext(ctx, check)
}

// takeOrOpen reserves a place for a request on a connection. If there is none, it opens a connection, for all who wait.
func (r *route) takeOrOpen(ctx context.Context, check check) (*http.ClientConn, error) {
	if conn := r.take(); conn != nil {
		return conn, nil
	}
	if err := r.growing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer r.growing.Release(1)
	if conn := r.take(); conn != nil {
		return conn, nil
	}
	if err := r.openNext(ctx, check); err != nil {
		return nil, err
	}
	if conn := r.take(); conn != nil {
		return conn, nil
	}
	return nil, errDisconnected
}

func isAnotherCluster(err error) bool {
	_, changed := errors.AsType[*IdentityError](err)
	return changed
}

// proxy returns where the proxy of a connection is.
func proxy(access Access) func(*http.Request) (*url.URL, error) {
	if access.Proxy != nil {
		return http.ProxyURL(access.Proxy)
	}
	return utilnet.NewProxierWithNoProxyCIDR(http.ProxyFromEnvironment)
}

// hostOf returns the host by which clients call the cluster. It is in the errors of requests, and is never resolved.
func hostOf(name string) string { return name + ".cluster.projection.sh" }

func urlOf(name string) string { return (&url.URL{Scheme: "https", Host: hostOf(name)}).String() }
