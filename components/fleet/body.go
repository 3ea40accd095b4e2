package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// maxError is how many bytes of an error, and of the answer to a probe, are read.
	maxError = 1 << 20
	// maxList is how many bytes of any other answer are read.
	maxList = 64 << 20
)

var (
	// errTimeout says that a request took too long.
	errTimeout = fmt.Errorf("the cluster has not answered in time: %w", context.DeadlineExceeded)
	// errTooLarge says that an answer is larger than any that a cluster has a reason to give.
	errTooLarge = errors.New("the answer of the cluster is too large")
)

func maxAnswer(response *http.Response) int64 {
	if response.StatusCode >= http.StatusBadRequest {
		return maxError
	}
	return maxList
}

// body is an answer that is read up to a limit.
type body struct {
	io.ReadCloser
	left   int64
	failed func(error) error // is called when a read fails, and returns as what
	end    func()            // is called when nobody reads any more
	once   sync.Once
}

// Read implements io.Reader.
func (b *body) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.left -= int64(n)
	switch {
	case b.left < 0:
		return 0, errTooLarge
	case err != nil && !errors.Is(err, io.EOF):
		err = b.failed(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.end)
	return err
}

// withTimeout returns a context that ends if a request takes too long. The function ends it before.
func (c *Conduit) withTimeout(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := c.options.Clock.AfterFunc(time.Duration(c.timeout.Load()), func() { cancel(errTimeout) })
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}
