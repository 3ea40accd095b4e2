package pull

import (
	"sync"
	"time"

	"k8s.io/utils/clock"

	"projection.sh/operator/components/projector"
)

const (
	// window is the time in which sources count as having vanished at once.
	window = time.Minute
	// few is how many sources may vanish at once whatever share of all they are.
	few = 20
	// holdTime is for how long copies stay whose sources have vanished at once with most others.
	holdTime = 5 * time.Minute
	// forgetTime is for how long it is remembered that a source does not exist.
	forgetTime = 2 * holdTime
)

// brake holds back deletions when most sources of a cluster vanish at once, as they do if it is restored from an old backup. It is what the node
// lifecycle controller does when all nodes of a zone seem dead. It is safe for concurrent use.
type brake struct {
	clock   clock.PassiveClock
	sources func() int // how many sources rules have in the cluster

	mu    sync.Mutex
	gone  map[projector.ObjectRef]time.Time // when it was noticed first
	until time.Time
}

func newBrake(clock clock.PassiveClock, sources func() int) *brake {
	return &brake{clock: clock, sources: sources, gone: map[projector.ObjectRef]time.Time{}}
}

// hold notes that the source does not exist, and returns for how long its copies are to stay; 0: they need not.
func (b *brake) hold(source projector.ObjectRef) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, recent := b.clock.Now(), 0
	if _, known := b.gone[source]; !known {
		b.gone[source] = now
	}
	for at, noticed := range b.gone {
		switch age := now.Sub(noticed); {
		case age > forgetTime:
			delete(b.gone, at)
		case age <= window:
			recent++
		}
	}
	if recent > few && 2*recent > b.sources() && now.After(b.until) {
		b.until = now.Add(holdTime)
	}
	return max(0, b.until.Sub(now))
}
