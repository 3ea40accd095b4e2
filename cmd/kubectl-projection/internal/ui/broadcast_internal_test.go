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
	ctx     context.Context //nolint:containedctx // the test looks whether it ends
	changed func()
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
	live = newBroadcast(func(ctx context.Context, changed func()) { begun <- watching{ctx, changed} })
	live.every = time.Millisecond
	server := httptest.NewServer(http.HandlerFunc(live.serve))
	t.Cleanup(server.CloseClientConnections)
	return live, begun, func(ctx context.Context) connection {
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
	for c.lines.Scan() && c.lines.Text() != "event: change" {
		continue
	}
	require.Equal(t, "event: change", c.lines.Text())
}

func TestPageHearsOfWhatChangedWhileItWasMade(t *testing.T) {
	live, begun, connect := startBroadcast(t)
	connect(t.Context())
	now := <-begun
	now.changed()
	require.Equal(t, 1, live.count())
	connect(t.Context()).changed(t) // it was made after 0 changes
}

func TestPagesHearOfChanges(t *testing.T) {
	_, begun, connect := startBroadcast(t)
	ctx, leave := context.WithCancel(t.Context())
	first, second := connect(ctx), connect(ctx)
	assert.Equal(t, "text/event-stream", first.contentType)
	now := <-begun
	now.changed()
	now.changed()
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
	assert.Equal(t, http.StatusServiceUnavailable, connect(ctx).status)
	leave()
	now := <-begun
	now.ended(t)
	live.changed() // nobody hears it
	assert.Equal(t, http.StatusOK, connect(t.Context()).status)
	assert.NotNil(t, <-begun, "the next page begins a watch")
}
