package fleet

import (
	"context"
	"errors"
	"time"
)

// maxWait is how long a watch waits until the gate opens.
const maxWait = 5 * time.Minute

// errStillClosed says that a watch has waited in vain.
var errStillClosed = errors.New("it could not be reached for five minutes")

// pass is what a request has that went through the gate. What becomes of the request counts only until the gate is next closed or opened.
type pass struct {
	gate  *Gate
	round uint64
}

// enter lets a request through, or returns an UnreachableError.
func (g *Gate) enter() (pass, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cause != nil {
		return pass{}, &UnreachableError{Cause: g.cause}
	}
	return pass{gate: g, round: g.round}, nil
}

// await lets a request through when the gate opens. It returns an error if that takes too long, or the context ends.
func (g *Gate) await(ctx context.Context) (pass, error) {
	if through, err := g.enter(); err == nil {
		return through, nil
	}
	timer := g.clock.NewTimer(maxWait)
	defer timer.Stop()
	for {
		g.mu.Lock()
		open := g.open
		g.mu.Unlock()
		select {
		case <-open:
		case <-timer.C():
			return pass{}, &UnreachableError{Cause: errStillClosed}
		case <-ctx.Done():
			return pass{}, ctx.Err()
		}
		if through, err := g.enter(); err == nil {
			return through, nil
		}
	}
}

// heard notes that something came from the cluster.
func (p pass) heard() {
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	p.gate.heard = p.gate.clock.Now()
	if p.gate.round == p.round {
		p.gate.failures = 0
	}
}

// failed notes that nothing came. After three requests in a row, the gate closes.
func (p pass) failed(err error) {
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	if p.gate.round != p.round {
		return
	}
	p.gate.failures++
	if p.gate.failures >= maxFailures {
		p.gate.shut(err)
		p.gate.wake()
	}
}
