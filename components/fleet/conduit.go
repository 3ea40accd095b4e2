package fleet

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// Options are what a conduit needs.
type Options struct {
	// Name is that of the cluster.
	Name string
	// UserAgent is by what the cluster knows the operator.
	UserAgent string
	// Gate is that of the cluster.
	Gate *Gate
	// Clock measures the Timeout.
	Clock clock.WithDelayedExecution
	// Timeout is how long a request may take that is no watch, with its answer, until SetTimeout says otherwise.
	Timeout time.Duration
	// PingAfter is how long a connection may be silent until it is asked whether it lives, for which it has half of that time; 0: 30 seconds.
	PingAfter time.Duration
	// Dial opens connections; nil: as client-go does.
	Dial Dial
	// Check asks which cluster it is, by requests of clients of the conduit that have its context.
	Check func(context.Context) error
	// Unauthorized is called for each answer that does not accept the credentials. It must not block. Nil: nobody asks.
	Unauthorized func()
}

// Conduit is the one transport of a member. Its clients and watches are made once. When credentials or an address change, what is behind it is
// exchanged, and they notice at most a broken connection. It is safe for concurrent use.
type Conduit struct {
	options Options
	timeout atomic.Int64          // how long a request may take
	route   atomic.Pointer[route] // nil: nowhere

	mu     sync.Mutex // held by those who replace the route
	wanted *Access    // is to replace it; nil: none is
}

// NewConduit returns a conduit that leads nowhere yet.
func NewConduit(options Options) *Conduit {
	if options.Dial == nil {
		options.Dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	c := &Conduit{options: options}
	c.SetTimeout(options.Timeout)
	return c
}

// SetTimeout says how long requests may take that begin from now on and are no watches.
func (c *Conduit) SetTimeout(timeout time.Duration) { c.timeout.Store(int64(timeout)) }

// Config returns the configuration of clients that use the conduit. The operator throttles none of them, and does not log what the other
// cluster warns of.
func (c *Conduit) Config() *rest.Config {
	return &rest.Config{
		Host: urlOf(c.options.Name), Transport: c, QPS: -1, UserAgent: c.options.UserAgent, WarningHandlerWithContext: rest.NoWarnings{},
	}
}

// Probe asks which cluster it is. If there is a new access, that comes first. Gate.Run calls it.
func (c *Conduit) Probe(ctx context.Context) error {
	if wanted := c.isWanted(); wanted != nil {
		err := c.try(ctx, wanted)
		if err == nil || isAnotherCluster(err) || c.route.Load() == nil {
			return err
		}
	}
	current := c.route.Load()
	if current == nil {
		return errNotProbed
	}
	return current.probe(ctx, c.options.Check)
}

// Exchange makes this the access. A new token is used from the next request on, and breaks no watch. Anything else takes new connections. While
// the gate is open, they are checked at once. If that fails, the former ones stay in use, the error is returned, and later probes try again. But
// if it says that they lead to another cluster, nothing is sent until a probe says otherwise. While the gate is closed, the next probe checks them.
func (c *Conduit) Exchange(ctx context.Context, access Access) error {
	if _, err := access.tlsConfig(); err != nil {
		return err
	}
	if c.replaceToken(access) {
		if !c.options.Gate.isOpen() {
			c.options.Gate.ProbeNow() // the former token may be why
		}
		return nil
	}
	c.want(&access)
	if !c.options.Gate.isOpen() {
		c.options.Gate.ProbeNow()
		return nil
	}
	err := c.options.Gate.limit(ctx, func(ctx context.Context) error { return c.try(ctx, &access) })
	switch {
	case err == nil:
		return nil
	case isAnotherCluster(err):
		c.options.Gate.Close(err)
		return err
	default:
		return fmt.Errorf("the new access does not work, and the former one stays in use: %w", err)
	}
}

// try opens a connection with the access, and makes that the route if it leads to the cluster, or to another one.
func (c *Conduit) try(ctx context.Context, access *Access) error {
	next, err := newRoute(*access, c.options)
	if err != nil {
		return err
	}
	err = next.openNext(ctx, c.options.Check)
	if err != nil && !isAnotherCluster(err) {
		next.retire()
		return err
	}
	if !c.replace(access, next) {
		next.retire()
		return errExchanged
	}
	return err
}

func (c *Conduit) want(access *Access) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted = access
}

func (c *Conduit) isWanted() *Access {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wanted
}

// replaceToken reports whether the access differs from the present one in its token at most, and is used from now on.
func (c *Conduit) replaceToken(access Access) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	former := c.route.Load()
	if former == nil || !former.access.sharesConnections(access) {
		return false
	}
	c.route.Store(former.withToken(access))
	c.wanted = nil
	return true
}

// replace makes this the route, unless another access is wanted by now. The former connections end when their requests have ended.
func (c *Conduit) replace(access *Access, next *route) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wanted != access {
		return false
	}
	c.wanted = nil
	if former := c.route.Swap(next); former != nil {
		former.retire()
		c.options.Clock.AfterFunc(time.Duration(c.timeout.Load()), former.drop)
	}
	return true
}

// Close ends all connections.
func (c *Conduit) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted = nil
	if former := c.route.Swap(nil); former != nil {
		former.retire()
		former.drop()
	}
}
