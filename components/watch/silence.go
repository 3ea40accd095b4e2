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

	"projection.sh/operator/components/answer"
)

const (
	// silence is how long a watch may send nothing whose API server sends bookmarks, which it does every minute. What
	// stands between can lose the watch and keep the connection, which nothing else would notice.
	silence = 5 * time.Minute
	// opening is how long a watch may take to open. Some proxies pass on that it is open with the first event only.
	opening = silence
)

// errLate tells the reflector to try again where it was: for all other errors but a refused connection it lists anew, and
// that wakes every rule of the kind.
var errLate = apierrors.NewTooManyRequestsError("the watch does not open")

// ear listens to the watches of one source, one after the other. It knows whether they send bookmarks.
type ear struct {
	bookmarks atomic.Bool
	resource  schema.GroupResource // of which it hears; empty: nothing secret
}

type openWatch func(context.Context, metav1.ListOptions) (watch.Interface, error)

// open opens a watch that ends when it falls silent. Whoever watches then goes on where it was.
func (e *ear) open(ctx context.Context, options metav1.ListOptions, open openWatch) (watch.Interface, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(opening, func() { cancel(errLate) })
	events, err := open(ctx, options)
	late.Stop()
	if cause := context.Cause(ctx); cause != nil {
		if err == nil {
			events.Stop()
		}
		return nil, cause
	}
	if err != nil {
		cancel(nil)
		return nil, answer.Veil(e.resource, err)
	}
	return e.attend(events, func() { cancel(nil) }), nil
}

// attend returns the watch with an ear on it. The function is called at its end.
func (e *ear) attend(events watch.Interface, end func()) watch.Interface {
	a := &attentive{Interface: events, ear: e, end: end, events: make(chan watch.Event), done: make(chan struct{})}
	go a.listen()
	return a
}

// attentive is a watch that ends when it falls silent.
type attentive struct {
	watch.Interface
	ear    *ear
	end    func()
	events chan watch.Event
	done   chan struct{}
	once   sync.Once
}

// ResultChan returns the events, bookmarks among them.
func (a *attentive) ResultChan() <-chan watch.Event { return a.events }

// Stop ends the watch.
func (a *attentive) Stop() {
	a.once.Do(func() { close(a.done) })
	a.Interface.Stop()
}

func (a *attentive) listen() {
	defer a.end()
	defer close(a.events)
	defer a.Interface.Stop()
	timer := time.NewTimer(silence)
	defer timer.Stop()
	for {
		var silent <-chan time.Time // nil until a bookmark has shown that there are any
		if a.ear.bookmarks.Load() {
			silent = timer.C
		}
		select {
		case event, open := <-a.Interface.ResultChan():
			if !open {
				return
			}
			switch event.Type {
			case watch.Bookmark:
				a.ear.bookmarks.Store(true)
			case watch.Error:
				event.Object = answer.VeilEvent(a.ear.resource, event.Object)
			default: // it is of an object
			}
			timer.Reset(silence)
			select {
			case a.events <- event:
			case <-a.done:
				return
			}
		case <-silent:
			return
		case <-a.done:
			return
		}
	}
}
