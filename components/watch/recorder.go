package watch

import (
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// replayTimeout is how long a watch that goes on may take to send again what was seen. API servers send it at once.
const replayTimeout = 30 * time.Second

// gap has the reflector list again.
var gap = watch.Event{Type: watch.Error, Object: &errGap.ErrStatus}

// verdict is what becomes of an event.
type verdict int

const (
	isNews       verdict = iota
	seenBefore           // it was passed on by an earlier watch
	otherHistory         // it is not what an earlier watch has seen there
)

// recorder compares what a watch sends again with what was seen, and notes what is new. Without a witness it does nothing. One goroutine uses it.
type recorder struct {
	watchdog *watchdog
	initial  bool // the watch sends the present objects, in no order
	needed   *proof
}

// overdue returns what has a value when all has to be sent again that is.
func (r *recorder) overdue() <-chan time.Time {
	if r.needed == nil || len(r.needed.seen) == 0 {
		return nil
	}
	return time.After(replayTimeout)
}

// isOverdue reports whether something was not sent again.
func (r *recorder) isOverdue() bool { return r.needed != nil && len(r.needed.seen) > 0 }

// record takes what has arrived.
func (r *recorder) record(event watch.Event) verdict {
	if r.watchdog == nil || r.watchdog.witness == nil || event.Type == watch.Error {
		return isNews
	}
	if r.isOverdue() {
		return r.compare(event)
	}
	version, chain := r.watchdog.witness.Latest()
	r.watchdog.mu.Lock()
	defer r.watchdog.mu.Unlock()
	trace := &r.watchdog.trace
	switch {
	case isSynced(event):
		r.initial = false
		trace.begin(versionOfEvent(event))
	case r.initial:
		return isNews
	}
	trace.receive(version, chain)
	if event.Type != watch.Bookmark {
		trace.add(event)
	}
	return isNews
}

// compare compares what is sent again with what was seen.
func (r *recorder) compare(event watch.Event) verdict {
	last := r.needed.seen[len(r.needed.seen)-1]
	if event.Type == watch.Bookmark {
		if IsNewer(last.version, versionOfEvent(event)) {
			return seenBefore // the API server is not yet there
		}
		return otherHistory
	}
	sight, ok := sightOf(event)
	if !ok || sight != r.needed.seen[0] {
		return otherHistory
	}
	r.needed.seen = r.needed.seen[1:]
	return seenBefore
}

// end notes that the watch has ended. If not all was sent again, nobody knows which history it was.
func (r *recorder) end() {
	if !r.isOverdue() {
		return
	}
	r.watchdog.mu.Lock()
	defer r.watchdog.mu.Unlock()
	r.watchdog.trace.broken = true
}
