package watch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"projection.sh/operator/components/apierr"
)

const (
	// idleTimeout is how long a watch may send nothing whose API server sends bookmarks, which it does every minute. What
	// stands between can lose the watch and keep the connection, which nothing else would notice.
	idleTimeout = 5 * time.Minute
	// openTimeout is how long a watch may take to open. Some proxies send the header of the answer with the first event only.
	openTimeout = idleTimeout
	// maxGap is how long it may take from the end of a watch until it goes on where it was. No control plane is restored from a backup in
	// less.
	maxGap = time.Second
)

// errOpenTimeout has the reflector retry the watch where it was. For all other errors but a refused connection it lists again, and
// that enqueues every rule of the kind.
var errOpenTimeout = apierrors.NewTooManyRequestsError("the watch does not open")

// errGap has the reflector list again.
var errGap = apierrors.NewResourceExpired("the watch was interrupted for so long that it may not go on where it was")

// watchdog ends watches of one source that have become idle without being closed. It knows whether they send bookmarks. After a longer
// interruption it has the reflector list again.
//
// Example: a watch has seen version 1005. The control plane is restored from a backup of version 990. A watch from version 1005 opens, and
// the API server sends nothing until it reaches that version, and never what came before.
type watchdog struct {
	bookmarks   atomic.Bool
	resource    schema.GroupResource // of the objects; empty: nothing to redact
	interrupted func()               // called when a watch has ended; nil: nobody asks
	witness     Witness              // of a cluster that can be cut off; nil: none
	away        func(error)          // called with the reason why a cluster with a witness cannot be reached

	mu    sync.Mutex
	ended time.Time // when the last watch ended; zero: there was a list since
	trace trace     // if there is a witness
}

// listed notes that the reflector lists: the next watch goes on from that list.
func (w *watchdog) listed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended, w.trace = time.Time{}, trace{}
}

func (w *watchdog) noteEnd() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = time.Now()
	if w.interrupted != nil {
		w.interrupted()
	}
}

// noteRefusal notes that a watch that was to go on from a list or a watch did not open: the interruption begins with that list.
func (w *watchdog) noteRefusal(options metav1.ListOptions) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended.IsZero() && options.SendInitialEvents == nil {
		w.ended = time.Now()
	}
}

// isGap reports whether too much time has passed since the last watch ended.
func (w *watchdog) isGap() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.ended.IsZero() && time.Since(w.ended) > maxGap
}

type openWatch func(context.Context, metav1.ListOptions) (watch.Interface, error)

// open opens a watch that ends when nothing arrives any more. The reflector then opens another one where it was.
func (w *watchdog) open(ctx context.Context, options metav1.ListOptions, open openWatch) (watch.Interface, error) {
	if err := w.await(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if options.SendInitialEvents != nil {
		w.listed()
	}
	needed := w.resume(&options)
	late := time.AfterFunc(openTimeout, func() { cancel(errOpenTimeout) })
	events, err := open(ctx, options)
	late.Stop()
	if cause := context.Cause(ctx); cause != nil {
		if err == nil {
			events.Stop()
		}
		w.noteRefusal(options)
		return nil, cause
	}
	if err != nil {
		cancel(nil)
		w.noteRefusal(options)
		return nil, apierr.Redact(w.resource, err)
	}
	if err := w.confirm(ctx, needed, time.Now()); err != nil {
		events.Stop()
		cancel(nil)
		return nil, err
	}
	return w.guard(events, recorder{watchdog: w, initial: options.SendInitialEvents != nil, needed: needed}, func() { cancel(nil) }), nil
}

// guard returns the watch, guarded. The function is called when it ends.
func (w *watchdog) guard(events watch.Interface, recorder recorder, end func()) watch.Interface {
	a := &guardedWatch{
		Interface: events, watchdog: w, recorder: recorder, end: end, events: make(chan watch.Event), done: make(chan struct{}),
	}
	go a.listen()
	return a
}

// guardedWatch is a watch that ends when nothing arrives for idleTimeout, though bookmarks would.
type guardedWatch struct {
	watch.Interface
	watchdog *watchdog
	recorder recorder
	end      func()
	events   chan watch.Event
	done     chan struct{}
	once     sync.Once
}

// ResultChan returns the events, bookmarks among them.
func (w *guardedWatch) ResultChan() <-chan watch.Event { return w.events }

// Stop ends the watch.
func (w *guardedWatch) Stop() {
	w.once.Do(func() { close(w.done) })
	w.Interface.Stop()
}

func (w *guardedWatch) listen() {
	defer w.end()
	defer close(w.events)
	defer w.Interface.Stop()
	defer w.noteEnd()
	timer := time.NewTimer(idleTimeout)
	defer timer.Stop()
	overdue := w.recorder.overdue()
	for {
		var silent <-chan time.Time // nil until a bookmark has shown that there are any
		if w.watchdog.bookmarks.Load() {
			silent = timer.C
		}
		select {
		case event, open := <-w.Interface.ResultChan():
			timer.Reset(idleTimeout)
			if !open || !w.take(event) {
				return
			}
		case <-overdue:
			if w.recorder.isOverdue() {
				w.pass(gap)
				return
			}
		case <-silent:
			return
		case <-w.done:
			return
		}
	}
}

func (w *guardedWatch) noteEnd() {
	w.recorder.end()
	w.watchdog.noteEnd()
}

// take takes what has arrived. It returns false if the watch has to end.
func (w *guardedWatch) take(event watch.Event) bool {
	switch event.Type {
	case watch.Bookmark:
		w.watchdog.bookmarks.Store(true)
	case watch.Error:
		event.Object = apierr.RedactEvent(w.watchdog.resource, event.Object)
	default: // it is of an object
	}
	switch w.recorder.record(event) {
	case seenBefore:
		return true
	case otherHistory:
		w.pass(gap)
		return false
	default:
		return w.pass(event)
	}
}

// pass passes an event on, unless nobody listens any more.
func (w *guardedWatch) pass(event watch.Event) bool {
	select {
	case w.events <- event:
		return true
	case <-w.done:
		return false
	}
}
