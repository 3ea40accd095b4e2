package ui

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	// maxLive is how many pages are live at a time. A browser keeps six connections to a server, and needs some for pages.
	maxLive = 4
	// atMostEvery is how often a page hears of changes.
	atMostEvery = 2 * time.Second
	// keepAlive is how often something is sent, so that a connection that nobody reads is found.
	keepAlive = 20 * time.Second
)

// broadcast says to pages that something may have changed. It watches while there are pages.
type broadcast struct {
	watch func(ctx context.Context, changed func())
	every time.Duration

	mu      sync.Mutex
	pages   map[chan struct{}]bool
	stop    context.CancelFunc
	changes int // so many notes were left until now
}

func newBroadcast(watch func(ctx context.Context, changed func())) *broadcast {
	return &broadcast{watch: watch, every: atMostEvery, pages: map[chan struct{}]bool{}}
}

// count returns how many changes there were until now.
func (b *broadcast) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changes
}

// join adds a page that was made after so many changes; nil: there are too many pages. The page has a note if there were changes since.
func (b *broadcast) join(ctx context.Context, since string) chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watch == nil || len(b.pages) == maxLive {
		return nil
	}
	page := make(chan struct{}, 1)
	if since != strconv.Itoa(b.changes) {
		page <- struct{}{}
	}
	if b.pages[page] = true; len(b.pages) == 1 {
		watching, stop := context.WithCancel(context.WithoutCancel(ctx)) // it lasts as long as there is a page
		b.stop = stop
		go b.watch(watching, b.changed)
	}
	return page
}

func (b *broadcast) leave(page chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if delete(b.pages, page); len(b.pages) == 0 {
		b.stop()
	}
}

// changed leaves a note for each page. Several notes are one.
func (b *broadcast) changed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes++
	for page := range b.pages {
		select {
		case page <- struct{}{}:
		default:
		}
	}
}

// serve sends an event for each change, and one for several that are close to each other.
func (b *broadcast) serve(w http.ResponseWriter, r *http.Request) {
	page := b.join(r.Context(), r.URL.Query().Get("since"))
	if page == nil {
		http.Error(w, "Too many pages are live.", http.StatusServiceUnavailable)
		return
	}
	defer b.leave(page)
	w.Header().Set("Content-Type", "text/event-stream")
	to := http.NewResponseController(w)
	if !send(w, to, ": connected\n\n") {
		return
	}
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		text := ": alive\n\n"
		select {
		case <-r.Context().Done():
			return
		case <-alive.C:
		case <-page:
			text = "event: change\ndata: 1\n\n"
		}
		if !send(w, to, text) || !pause(r.Context(), b.every) {
			return
		}
	}
}

func send(w http.ResponseWriter, to *http.ResponseController, text string) bool {
	if err := to.SetWriteDeadline(time.Now().Add(keepAlive)); err != nil {
		return false
	}
	_, err := w.Write([]byte(text))
	return err == nil && to.Flush() == nil
}

// pause waits, and reports whether the context lasts.
func pause(ctx context.Context, length time.Duration) bool {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
