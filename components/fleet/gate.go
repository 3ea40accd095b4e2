package fleet

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"k8s.io/utils/clock"
)

const (
	// maxFailures is how many requests in a row fail until the gate closes.
	maxFailures = 3
	// quietTime is for how long nothing is heard from a cluster until it is probed. API servers send bookmarks each minute, and close a
	// connection that is idle for 90 seconds.
	quietTime = 75 * time.Second
	// stableTime is how long the gate has to be open until the next probe after it was closed is due at once. A connection that breaks again and
	// again is opened with pauses.
	stableTime = time.Minute
	// probeTimeout is how long a probe may take.
	probeTimeout = 15 * time.Second
)

// errNotProbed is why a new gate is closed.
var errNotProbed = errors.New("it has not been reached yet")

// Gate is a circuit breaker: it keeps requests from a cluster that cannot be reached. It is closed until a probe succeeds, and closes when a
// probe fails, or three requests in a row, or when the last connection ends. While it is closed, only probes are sent. It is safe for concurrent use.
type Gate struct {
	clock clock.Clock
	dials *semaphore.Weighted
	// draw returns a number from 0 to 1, by which probes of different clusters are spread.
	draw func() float64

	mu         sync.Mutex
	cause      error         // why it is closed; nil: it is open
	since      time.Time     // when it was opened or closed
	round      uint64        // how often it was opened or closed
	open       chan struct{} // closed while the gate is open
	turned     chan struct{} // closed when the gate next opens, closes, or is closed for another cause
	changed    chan struct{} // closed when the next probe is due earlier than before
	failures   int           // of requests, in a row
	heard      time.Time     // when something came from the cluster
	probes     int           // since the gate was open for longer than stableTime
	due        time.Time     // when the next one is due, while the gate is closed
	generation uint64        // how often something has changed that makes the result of an earlier probe worthless
}

// NewGate returns a gate that is closed. At most so many probes are under way at a time as the semaphore permits, which gates share.
func NewGate(clock clock.Clock, dials *semaphore.Weighted) *Gate {
	now := clock.Now()
	return &Gate{
		clock: clock, dials: dials, draw: rand.Float64,
		cause: errNotProbed, since: now, due: now, probes: 1, open: make(chan struct{}), changed: make(chan struct{}),
		turned: make(chan struct{}),
	}
}

// State returns since when the gate is open, or since when it is closed, and why.
func (g *Gate) State() (since time.Time, cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.since, g.cause
}

// Observe returns what is closed when the State changes, and why the gate is closed; nil: it is open.
func (g *Gate) Observe() (changed <-chan struct{}, cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.turned, g.cause
}

func (g *Gate) isOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cause == nil
}

// Run probes the cluster while the gate is closed, and when nothing was heard from it for a while, until the context ends.
func (g *Gate) Run(ctx context.Context, probe func(context.Context) error) {
	for {
		wait, changed, _ := g.untilProbe()
		if wait > 0 {
			if !g.pause(ctx, wait, changed) {
				return
			}
			continue // something may have been heard
		}
		var generation uint64
		err := g.limit(ctx, func(ctx context.Context) error {
			_, _, generation = g.untilProbe()
			return probe(ctx)
		})
		if ctx.Err() != nil {
			return
		}
		g.probed(err, generation)
	}
}

// limit runs a probe, when no others keep it from dialing, and for a limited time.
func (g *Gate) limit(ctx context.Context, probe func(context.Context) error) error {
	if err := g.dials.Acquire(ctx, 1); err != nil {
		return err
	}
	defer g.dials.Release(1)
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return probe(ctx)
}

// pause waits for so long, or for the change. It returns false if the context ends first.
func (g *Gate) pause(ctx context.Context, wait time.Duration, changed <-chan struct{}) bool {
	timer := g.clock.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C():
	case <-changed:
	case <-ctx.Done():
		return false
	}
	return true
}

// untilProbe returns when the next probe is due, what is closed if it is due earlier, and what the probe knows.
func (g *Gate) untilProbe() (time.Duration, <-chan struct{}, uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	due := g.due
	if g.cause == nil {
		due = g.heard.Add(quietTime)
	}
	return due.Sub(g.clock.Now()), g.changed, g.generation
}

// probed opens or closes the gate by the result of a probe. One that began before the last of these opens nothing.
func (g *Gate) probed(err error, generation uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if generation != g.generation {
		return
	}
	if err == nil {
		g.probes = min(g.probes, 2)
		g.heard = g.clock.Now()
		g.turn(nil)
		return
	}
	g.shut(err)
}

// Close closes the gate until a probe succeeds.
func (g *Gate) Close(cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut(cause)
	g.wake()
}

// ProbeNow has a closed gate probe at once, since something has changed that may help.
func (g *Gate) ProbeNow() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.probes, g.due = 1, g.clock.Now()
	g.wake()
}

// shut closes the gate, and says when the next probe is due.
func (g *Gate) shut(cause error) {
	now := g.clock.Now()
	if g.cause == nil && now.Sub(g.since) >= stableTime {
		g.probes = 0
	}
	g.turn(cause)
	g.due = now
	if g.probes > 0 {
		g.due = now.Add(spread(pauseAfter(cause, g.probes-1), g.draw()))
	}
	g.probes++
}

// wake has Run look again when the next probe is due. A probe that is under way opens nothing.
func (g *Gate) wake() {
	g.generation++
	close(g.changed)
	g.changed = make(chan struct{})
}

// turn opens the gate, or closes it for the cause.
func (g *Gate) turn(cause error) {
	wasOpen := g.cause == nil
	g.cause = cause
	if wasOpen && cause == nil {
		return
	}
	close(g.turned)
	g.turned = make(chan struct{})
	if wasOpen == (cause == nil) {
		return
	}
	g.since, g.failures = g.clock.Now(), 0
	g.round++
	if cause == nil {
		close(g.open)
		return
	}
	g.open = make(chan struct{})
}
