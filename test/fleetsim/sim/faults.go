package sim

import (
	"net"
	"sync"
)

// faults is the listener of a cluster, on which connections can be cut and stopped.
type faults struct {
	net.Listener

	cluster *Cluster

	mu      sync.Mutex
	open    map[*connection]struct{}
	refuses bool
	moving  chan struct{} // closed while bytes are passed on
}

func newFaults(cluster *Cluster) (*faults, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &faults{Listener: listener, cluster: cluster, open: map[*connection]struct{}{}, moving: make(chan struct{})}
	close(f.moving)
	return f, nil
}

// connection is one that a client has opened.
type connection struct {
	net.Conn

	cluster *Cluster
	of      *faults
	ended   chan struct{}
	once    sync.Once
}

// Accept implements net.Listener. While the cluster refuses connections, those that come are reset.
func (f *faults) Accept() (net.Conn, error) {
	for {
		conn, err := f.Listener.Accept()
		if err != nil {
			return nil, err
		}
		accepted := &connection{Conn: conn, cluster: f.cluster, of: f, ended: make(chan struct{})}
		f.mu.Lock()
		refuses := f.refuses
		if !refuses {
			f.open[accepted] = struct{}{}
		}
		f.mu.Unlock()
		if !refuses {
			return accepted, nil
		}
		reset(conn)
	}
}

// reset ends a connection without a last word.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // at worst, the connection ends in order
	}
	_ = conn.Close() // the client learns of it
}

func (f *faults) refuse() {
	f.mu.Lock()
	f.refuses = true
	cut := f.open
	f.open = map[*connection]struct{}{}
	f.mu.Unlock()
	for conn := range cut {
		reset(conn.Conn)
		_ = conn.Close() // those who wait there go on
	}
}

func (f *faults) hang() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.moving = make(chan struct{})
}

func (f *faults) heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuses = false
	select {
	case <-f.moving:
	default:
		close(f.moving)
	}
}

func (f *faults) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open)
}

// await returns when bytes may be passed on, or the connection has ended.
func (c *connection) await() {
	c.of.mu.Lock()
	moving := c.of.moving
	c.of.mu.Unlock()
	select {
	case <-moving:
	case <-c.ended:
	}
}

// Read implements net.Conn.
func (c *connection) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	c.await()
	return n, err
}

// Write implements net.Conn.
func (c *connection) Write(from []byte) (int, error) {
	c.await()
	return c.Conn.Write(from)
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.once.Do(func() {
		close(c.ended)
		c.of.mu.Lock()
		delete(c.of.open, c)
		c.of.mu.Unlock()
	})
	return c.Conn.Close()
}
