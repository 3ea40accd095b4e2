package faults

import (
	"net"
	"sync"
)

// Relay passes bytes on between TCP connections to its address and a server. It knows nothing of what they say, so it can stand between
// any two programs.
type Relay struct {
	listener net.Listener

	mu     sync.Mutex
	target string
	open   map[net.Conn]struct{}
	moving chan struct{} // closed while bytes are passed on
	closed bool
}

// NewRelay returns a relay to the server at the address.
func NewRelay(target string) (*Relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{listener: listener, target: target, open: map[net.Conn]struct{}{}, moving: make(chan struct{})}
	close(r.moving)
	go r.accept()
	return r, nil
}

// Address returns where to reach the relay.
func (r *Relay) Address() string { return r.listener.Addr().String() }

// Stall keeps every connection open, and passes nothing on until Resume is called.
func (r *Relay) Stall() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moving = make(chan struct{})
}

// Resume ends what Stall began. What was sent meanwhile arrives.
func (r *Relay) Resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.moving:
	default:
		close(r.moving)
	}
}

// Switch breaks every connection. New ones go to the server at the address.
func (r *Relay) Switch(target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target = target
	r.breakAll()
}

// IsIdle reports whether nobody is connected.
func (r *Relay) IsIdle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open) == 0
}

// Close ends the relay and every connection.
func (r *Relay) Close() {
	r.Resume()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	_ = r.listener.Close() // accept ends
	r.breakAll()
}

func (r *Relay) breakAll() {
	for connection := range r.open {
		_ = connection.Close() // whoever reads or writes there learns of it
	}
	clear(r.open)
}

func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.connect(client)
	}
}

func (r *Relay) connect(client net.Conn) {
	r.mu.Lock()
	target := r.target
	r.mu.Unlock()
	server, err := net.Dial("tcp", target)
	if err != nil {
		_ = client.Close()
		return
	}
	r.mu.Lock()
	if r.closed || r.target != target {
		r.mu.Unlock()
		_, _ = client.Close(), server.Close()
		return
	}
	r.open[client], r.open[server] = struct{}{}, struct{}{}
	r.mu.Unlock()
	go r.pass(client, server)
	r.pass(server, client)
}

// pass passes bytes on until one of the two connections ends, and then ends both.
func (r *Relay) pass(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		r.await()
		if n > 0 {
			if _, failed := to.Write(buffer[:n]); failed != nil && err == nil {
				err = failed
			}
		}
		if err != nil {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, from)
	delete(r.open, to)
	_, _ = from.Close(), to.Close()
}

// await returns when bytes may be passed on.
func (r *Relay) await() {
	r.mu.Lock()
	moving := r.moving
	r.mu.Unlock()
	<-moving
}
