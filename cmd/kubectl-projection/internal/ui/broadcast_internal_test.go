package ui

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watching is what a broadcast has begun to watch.
type watching struct {
	News

	ctx context.Context //nolint:containedctx // the test looks whether it ends
}

// ended waits until nothing is watched any more.
func (w watching) ended(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return w.ctx.Err() != nil }, 20*time.Second, time.Millisecond)
}

// connection is what a page gets.
type connection struct {
	status      int
	contentType string
	lines       *bufio.Scanner
}

func startBroadcast(t *testing.T) (live *broadcast, begun chan watching, connect func(context.Context) connection) {
	t.Helper()
	begun = make(chan watching, 10)
	live = newBroadcast(func(ctx context.Context, news News) { begun <- watching{news, ctx} })
	live.every = time.Millisecond
	server := httptest.NewServer(http.HandlerFunc(live.serve))
	t.Cleanup(server.CloseClientConnections)
	return live, begun, func(ctx context.Context) connection {
		ctx, stop := context.WithTimeout(ctx, 20*time.Second) // a page that hears nothing does not wait for ever
		t.Cleanup(stop)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"?since=0", nil)
		require.NoError(t, err)
		response, err := server.Client().Do(request)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, response.Body.Close()) })
		return connection{response.StatusCode, response.Header.Get("Content-Type"), bufio.NewScanner(response.Body)}
	}
}

// changed waits for an event of a change.
func (c connection) changed(t *testing.T) {
	t.Helper()
	c.hears(t, "event: change")
}

// hears waits for the line.
func (c connection) hears(t *testing.T, line string) {
	t.Helper()
	for c.lines.Scan() && c.lines.Text() != line {
		continue
	}
	require.Equal(t, line, c.lines.Text())
}

func TestPagesSayWhetherTheyFollowChanges(t *testing.T) {
	live, begun, connect := startBroadcast(t)
	ctx, leave := context.WithCancel(t.Context())
	page := connect(ctx)
	page.hears(t, "data: Changes are not watched yet.")
	now := <-begun
	now.Hidden("secrets")
	page.hears(t, "data: The page does not follow changes: you may not watch secrets.")
	now.Changed("rules")
	now.Hidden("<namespaces>")
	now.Hidden("secrets")
	page.hears(t, "data: The page follows changes, but not those of &lt;namespaces&gt;, secrets, which you may not watch.")
	leave()
	now.ended(t)
	require.Eventually(t, func() bool { live.mu.Lock(); defer live.mu.Unlock(); return len(live.pages) == 0 }, 20*time.Second, time.Millisecond)
	page = connect(t.Context())
	page.hears(t, "data: Changes are not watched yet.")
	now = <-begun
	now.Changed("rules")
	page.hears(t, "data: The page follows changes.")
	now.Failed("rules")
	page.hears(t, "data: The page does not follow changes of rules now, and tries again: the API server cannot be reached, or refuses to show them.")
	now.Changed("rules")
	page.hears(t, "data: The page follows changes.")
}

func TestPageHearsOfWhatChangedWhileItWasMade(t *testing.T) {
	live, begun, connect := startBroadcast(t)
	connect(t.Context())
	now := <-begun
	now.Changed("rules")
	require.Equal(t, 1, live.count())
	connect(t.Context()).changed(t) // it was made after 0 changes
}

func TestPagesHearOfChanges(t *testing.T) {
	_, begun, connect := startBroadcast(t)
	ctx, leave := context.WithCancel(t.Context())
	first, second := connect(ctx), connect(ctx)
	assert.Equal(t, "text/event-stream", first.contentType)
	now := <-begun
	now.Changed("rules")
	now.Changed("rules")
	for _, page := range []connection{first, second} {
		page.changed(t)
		require.True(t, page.lines.Scan())
		assert.Equal(t, "data: 1", page.lines.Text(), "an event without data is none")
	}
	assert.Empty(t, begun, "all pages have one watch")
	leave()
	now.ended(t)
}

func TestFewPagesAreLive(t *testing.T) {
	live, begun, connect := startBroadcast(t)
	ctx, leave := context.WithCancel(t.Context())
	for range maxLive {
		assert.Equal(t, http.StatusOK, connect(ctx).status)
	}
	one := connect(ctx)
	require.True(t, one.lines.Scan())
	assert.Equal(t, "retry: 30000", one.lines.Text())
	one.hears(t, `data: <span class="refused">The page does not follow changes, since 4 others do: load it again.</span>`)
	leave()
	now := <-begun
	now.ended(t)
	live.changed("rules") // nobody hears it
	assert.Equal(t, http.StatusOK, connect(t.Context()).status)
	assert.NotNil(t, <-begun, "the next page begins a watch")
}
