package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// errElsewhere is the error of a request that would leave for another host, such as one that follows a redirect.
var errElsewhere = errors.New("the request is for another host, and is not sent")

// RoundTrip implements http.RoundTripper. While the gate is closed, a watch waits, and any other request fails.
func (c *Conduit) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.roundTrip(request)
	if err != nil && request.Body != nil {
		_ = request.Body.Close() // as a transport has to
	}
	return response, err
}

func (c *Conduit) roundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	switch {
	case request.URL.Host != hostOf(c.options.Name):
		return nil, errElsewhere
	case probed(ctx) != nil:
		return c.answered(withTimeout(request, c.options.Clock, c.options.Timeout, probed(ctx).send))
	case isWatch(request):
		return c.watch(request)
	default:
		return c.request(request)
	}
}

// request sends a request, if the gate is open.
func (c *Conduit) request(request *http.Request) (*http.Response, error) {
	through, err := c.options.Gate.enter()
	if err != nil {
		return nil, err
	}
	response, err := c.answered(withTimeout(request, c.options.Clock, c.options.Timeout, c.proven))
	through.note(request.Context(), response, err)
	return response, err
}

// watch opens a watch when the gate opens. If it cannot be opened, or breaks, the one who watches may resume it.
func (c *Conduit) watch(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	through, err := c.options.Gate.await(ctx)
	if err == nil {
		var response *http.Response
		response, err = c.answered(c.proven(request))
		through.note(ctx, response, err)
		if err == nil {
			response.Body = &watchBody{ReadCloser: response.Body, ctx: ctx, through: through, clock: c.options.Clock, opened: c.options.Clock.Now()}
			return response, nil
		}
	}
	if ctx.Err() != nil {
		return nil, err
	}
	return nil, &resumeError{cause: err}
}

// proven sends the request if it is proven where to.
func (c *Conduit) proven(request *http.Request) (*http.Response, error) {
	current := c.route.Load()
	if current == nil || !current.isProven() {
		return nil, &UnreachableError{Cause: errUnproven}
	}
	return current.send(request)
}

// answered notes an answer that refuses the credentials.
func (c *Conduit) answered(response *http.Response, err error) (*http.Response, error) {
	if err == nil && response.StatusCode == http.StatusUnauthorized && c.options.Unauthorized != nil {
		c.options.Unauthorized()
	}
	return response, err
}

// note notes the result of a request. A request that its sender gave up says nothing, and neither does a failure of the API server, which may be
// that of a proxy before it, or of one API behind it.
func (p pass) note(ctx context.Context, response *http.Response, err error) {
	switch {
	case err == nil && response.StatusCode < http.StatusInternalServerError:
		p.heard()
	case err != nil && !errors.Is(ctx.Err(), context.Canceled):
		p.failed(err)
	}
}

func isWatch(request *http.Request) bool {
	watch := request.URL.Query().Get("watch")
	return request.Method == http.MethodGet && (watch == "true" || watch == "1")
}

// errTimeout says that a request took too long.
var errTimeout = fmt.Errorf("the cluster has not answered in time: %w", context.DeadlineExceeded)

// withTimeout sends a request that ends with an error if it takes too long, with its answer.
func withTimeout(
	request *http.Request, clock clock.WithDelayedExecution, timeout time.Duration, send func(*http.Request) (*http.Response, error),
) (*http.Response, error) {
	if timeout == 0 {
		return send(request)
	}
	ctx, cancel := context.WithCancelCause(request.Context())
	timer := clock.AfterFunc(timeout, func() { cancel(errTimeout) })
	end := sync.OnceFunc(func() {
		timer.Stop()
		cancel(nil)
	})
	response, err := send(request.WithContext(ctx))
	if err != nil {
		cause := context.Cause(ctx)
		end()
		if errors.Is(cause, errTimeout) {
			return nil, errTimeout
		}
		return nil, err
	}
	response.Body = endingBody{response.Body, end}
	return response, nil
}

// endingBody is an answer that no timeout ends any more when it is closed.
type endingBody struct {
	io.ReadCloser
	end func()
}

// Close implements io.Closer.
func (b endingBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
