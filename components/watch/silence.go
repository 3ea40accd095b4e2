package watch

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	// silence is how long a watch may send nothing whose API server sends bookmarks, which it does every minute. What
	// stands between can lose the watch and keep the connection, which nothing else would notice.
	silence = 5 * time.Minute
	// opening is how long a watch may take to open.
	opening = time.Minute
)

// ear listens to the watches of one source, one after the other. It knows whether they send bookmarks.
type ear struct{ bookmarks atomic.Bool }

type openWatch func(context.Context, metav1.ListOptions) (watch.Interface, error)

// open opens a watch that ends when it falls silent. Whoever watches then goes on where it was.
func (e *ear) open(ctx context.Context, options metav1.ListOptions, open openWatch) (watch.Interface, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(opening, func() { cancel(fmt.Errorf("the watch did not open within %s", opening)) })
	events, err := open(ctx, options)
	if !late.Stop() && err == nil {
		events.Stop()
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		cancel(nil)
		return nil, err
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
			if event.Type == watch.Bookmark {
				a.ear.bookmarks.Store(true)
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
