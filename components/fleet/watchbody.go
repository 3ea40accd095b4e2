package fleet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// shortWatch is how long a watch lasts at least after the last that it has received. A reflector lists again after a watch that ends within a
	// second without an event, and begins to count when it has seen the present objects.
	shortWatch = 1500 * time.Millisecond
	// maxEvent is how many bytes of JSON one event may have. Clients bound those of protobuf.
	maxEvent = 16 << 20
)

// watchBody is the events of a watch. When the connection breaks, the watch ends as if the API server had ended it: a reflector resumes such a
// watch, and lists again after most errors in one.
type watchBody struct {
	io.ReadCloser
	ctx     context.Context //nolint:containedctx // of the one who watches, to distinguish its end from that of the connection
	through pass
	clock   clock.Clock
	last    time.Time // when something was received, or the watch was opened
	json    bool
	event   int // bytes since the last line ended
	end     func()
	once    sync.Once
}

func newWatchBody(ctx context.Context, response *http.Response, through pass, clock clock.Clock, end func()) *watchBody {
	return &watchBody{
		ReadCloser: response.Body, ctx: ctx, through: through, clock: clock, last: clock.Now(), end: end,
		json: strings.Contains(response.Header.Get("Content-Type"), "json"),
	}
}

// Read implements io.Reader.
func (b *watchBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if n > 0 {
		b.last = b.clock.Now()
		b.through.heard()
		if b.isTooLarge(into[:n]) {
			return 0, errTooLarge
		}
	}
	if err == nil || b.ctx.Err() != nil {
		return n, err
	}
	b.linger()
	if errors.Is(err, io.EOF) {
		return n, err
	}
	return n, io.ErrUnexpectedEOF
}

// linger waits until the watch has lasted for long enough.
func (b *watchBody) linger() {
	timer := b.clock.NewTimer(shortWatch - b.clock.Since(b.last))
	defer timer.Stop()
	select {
	case <-timer.C():
	case <-b.ctx.Done():
	}
}

// isTooLarge reports whether an event is larger than any object.
func (b *watchBody) isTooLarge(received []byte) bool {
	b.event += len(received)
	if end := bytes.LastIndexByte(received, '\n'); end >= 0 {
		b.event = len(received) - end - 1
	}
	return b.json && b.event > maxEvent
}

// Close implements io.Closer.
func (b *watchBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.end)
	return err
}
