package watch

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// silence is how long a watch that has sent bookmarks may send nothing. An API server sends one every minute. What stands
// between can lose the watch and keep the connection, which nothing else would notice.
const silence = 5 * time.Minute

// attentive is a watch that ends when it falls silent. Whoever watches then goes on where it was.
type attentive struct {
	watch.Interface
	events chan watch.Event
	done   chan struct{}
	once   sync.Once
}

// attend returns the watch with an ear on it.
func attend(events watch.Interface) watch.Interface {
	a := &attentive{Interface: events, events: make(chan watch.Event), done: make(chan struct{})}
	go a.listen()
	return a
}

// ResultChan returns the events, bookmarks among them.
func (a *attentive) ResultChan() <-chan watch.Event { return a.events }

// Stop ends the watch.
func (a *attentive) Stop() {
	a.once.Do(func() { close(a.done) })
	a.Interface.Stop()
}

func (a *attentive) listen() {
	defer close(a.events)
	defer a.Interface.Stop()
	var silent <-chan time.Time // nil until a bookmark has shown that there are any
	timer := time.NewTimer(silence)
	defer timer.Stop()
	for {
		select {
		case event, open := <-a.Interface.ResultChan():
			if !open {
				return
			}
			if event.Type == watch.Bookmark {
				silent = timer.C
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
