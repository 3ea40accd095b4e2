package ui

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
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

// News is how a watch says what it sees.
type News struct {
	// Changed says that something of these objects may have changed, or that they are watched from now on.
	Changed func(what string)
	// Failed says that these objects cannot be watched for the time being.
	Failed func(what string)
	// Hidden names what the caller may not watch.
	Hidden func(what string)
}

// broadcast says to pages that something may have changed. It watches while there are pages.
type broadcast struct {
	watch func(ctx context.Context, news News)
	every time.Duration

	mu      sync.Mutex
	pages   map[chan struct{}]bool
	stop    context.CancelFunc
	changes int // so many notes were left until now
	// isFollowing reports whether something is watched since there are pages, hidden is what the caller may not watch, and failed what cannot be watched
	// for the time being. Both are sorted.
	isFollowing    bool
	hidden, failed []string
}

func newBroadcast(watch func(ctx context.Context, news News)) *broadcast {
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
		b.stop, b.isFollowing, b.hidden, b.failed = stop, false, nil, nil
		go b.watch(watching, News{b.changed, b.fails, b.hides})
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
func (b *broadcast) changed(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, hasFailed := slices.BinarySearch(b.failed, what); hasFailed {
		b.failed = slices.Delete(b.failed, at, at+1)
	}
	b.changes++
	b.isFollowing = true
	b.leaveNotes()
}

// fails notes what cannot be watched for the time being, and leaves a note for each page when that begins: what a page shows may be outdated.
func (b *broadcast) fails(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, isNoted := slices.BinarySearch(b.failed, what); !isNoted {
		b.failed = slices.Insert(b.failed, at, what)
		b.changes++
		b.leaveNotes()
	}
}

// hides notes what the caller may not watch, and leaves a note for each page.
func (b *broadcast) hides(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, isNoted := slices.BinarySearch(b.hidden, what); !isNoted {
		b.hidden = slices.Insert(b.hidden, at, what)
	}
	b.leaveNotes()
}

func (b *broadcast) leaveNotes() {
	for page := range b.pages {
		select {
		case page <- struct{}{}:
		default:
		}
	}
}

// state says whether pages follow changes.
func (b *broadcast) state() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	hidden, failed := strings.Join(b.hidden, ", "), strings.Join(b.failed, ", ")
	switch {
	case b.isFollowing && failed != "":
		return "The page does not follow changes of " + failed + " now, and tries again: the API server cannot be reached, or refuses to show them."
	case b.isFollowing && hidden == "":
		return "The page follows changes."
	case b.isFollowing:
		return "The page follows changes, but not those of " + hidden + ", which you may not watch."
	case hidden != "":
		return "The page does not follow changes: you may not watch " + hidden + "."
	default:
		return "Changes are not watched yet."
	}
}

// refused is what a page gets that is one too many. The browser asks again later.
var refused = fmt.Sprintf("retry: 30000\n\nevent: state\n"+
	`data: <span class="refused">The page does not follow changes, since %d others do: load it again.</span>`+"\n\n", maxLive)

// serve sends an event for each change, and one for several that are close to each other.
func (b *broadcast) serve(w http.ResponseWriter, r *http.Request) {
	page := b.join(r.Context(), r.URL.Query().Get("since"))
	to := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	if page == nil {
		send(w, to, refused)
		return
	}
	defer b.leave(page)
	state := b.state()
	if !send(w, to, stateEvent(state)) {
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
			if now := b.state(); now != state {
				state = now
				text += stateEvent(state)
			}
		}
		if !send(w, to, text) || !pause(r.Context(), b.every) {
			return
		}
	}
}

func stateEvent(state string) string {
	return "event: state\ndata: " + html.EscapeString(state) + "\n\n"
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
