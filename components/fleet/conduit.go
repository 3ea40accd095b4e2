package fleet

import (
	"context"
	"errors"
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
	// Gate is that of the cluster.
	Gate *Gate
	// Clock measures the Timeout.
	Clock clock.WithDelayedExecution
	// Timeout is how long a request may take that is no watch, with its answer; 0: without end.
	Timeout time.Duration
	// Dial opens connections; nil: as client-go does.
	Dial Dial
	// Unauthorized is called when the API server does not accept the credentials. It must not block. Nil: nobody asks.
	Unauthorized func()
}

// Conduit is the one transport of a member. Its clients and watches are made once. When credentials or an address change, what is behind it is
// exchanged, and they notice at most a broken connection. It is safe for concurrent use.
type Conduit struct {
	options Options
	route   atomic.Pointer[route] // nil: nowhere

	exchanging sync.Mutex // held by those who replace the route
}

// NewConduit returns a conduit that leads nowhere yet.
func NewConduit(options Options) *Conduit {
	if options.Dial == nil {
		options.Dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	return &Conduit{options: options}
}

// Config returns the configuration of clients that use the conduit. The operator throttles none of them.
func (c *Conduit) Config() *rest.Config {
	return &rest.Config{Host: urlOf(c.options.Name), Transport: c, QPS: -1}
}

// Probe runs a check of which cluster it is, and opens nothing but the connection for that. Requests of the check have to have its context. If it
// returns no error, others may use the connection. Gate.Run calls it.
func (c *Conduit) Probe(ctx context.Context, check func(context.Context) error) error {
	current := c.route.Load()
	if current == nil {
		return errNotProbed
	}
	return current.probe(ctx, check)
}

// probe runs the check on this route.
func (r *route) probe(ctx context.Context, check func(context.Context) error) error {
	err := check(asProbe(ctx, r))
	if err == nil {
		return r.prove()
	}
	if _, changed := errors.AsType[*IdentityError](err); changed {
		r.disprove()
	}
	return err
}

// Exchange makes this the access. A new token is used from the next request on, and breaks no watch. Anything else takes new connections:
// they are checked first, and the former ones are closed when they are proven. If the check fails, the former ones stay in use, and the
// error is returned. But if it says that they lead to another cluster, nothing is sent any more until a probe succeeds.
func (c *Conduit) Exchange(ctx context.Context, access Access, check func(context.Context) error) error {
	c.exchanging.Lock()
	defer c.exchanging.Unlock()
	former := c.route.Load()
	if former != nil && former.access.sharesConnections(access) {
		c.route.Store(&route{connections: former.connections, access: access})
		return nil
	}
	opened, err := newConnections(access, c.options.Dial, func() { c.options.Gate.Close(errDisconnected) })
	if err != nil {
		return err
	}
	next := &route{connections: opened, access: access}
	if former == nil {
		c.route.Store(next)
		c.options.Gate.Hurry()
		return nil
	}
	err = next.probe(ctx, check)
	_, changed := errors.AsType[*IdentityError](err)
	if err != nil && !changed {
		next.close()
		return fmt.Errorf("the new access does not work, and the former one stays in use: %w", err)
	}
	c.route.Store(next)
	former.close()
	if changed {
		c.options.Gate.Close(err)
		return err
	}
	c.options.Gate.Hurry()
	return nil
}

// Close ends all connections.
func (c *Conduit) Close() {
	c.exchanging.Lock()
	defer c.exchanging.Unlock()
	if former := c.route.Swap(nil); former != nil {
		former.close()
	}
}
