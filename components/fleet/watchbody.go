package fleet

import (
	"context"
	"errors"
	"io"
	"time"

	"k8s.io/utils/clock"
)

// shortWatch is how long a watch has to last that has received nothing. After a shorter one, a reflector lists again.
const shortWatch = time.Second

// watchBody is the events of a watch. When the connection breaks, the watch ends as if the API server had ended it: a reflector resumes such a
// watch, and lists again after most errors in one.
type watchBody struct {
	io.ReadCloser
	ctx     context.Context //nolint:containedctx // of the request, to distinguish its end from that of the connection
	through pass
	clock   clock.Clock
	opened  time.Time
}

// Read implements io.Reader.
func (b *watchBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if n > 0 {
		b.through.heard()
	}
	if err == nil || errors.Is(err, io.EOF) || b.ctx.Err() != nil {
		return n, err
	}
	timer := b.clock.NewTimer(shortWatch - b.clock.Since(b.opened))
	defer timer.Stop()
	select {
	case <-timer.C():
	case <-b.ctx.Done():
	}
	return n, io.ErrUnexpectedEOF
}
