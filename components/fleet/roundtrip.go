package fleet

import (
	"context"
	"errors"
	"net/http"
)

// errElsewhere is the error of a request that would leave for another host, and of an answer that redirects one.
var errElsewhere = errors.New("the cluster redirects the request, which is not followed")

// RoundTrip implements http.RoundTripper. While the gate is closed, a watch waits, and any other request fails.
func (c *Conduit) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.roundTrip(request)
	if err != nil && request.Body != nil {
		_ = request.Body.Close() // as a transport has to
	}
	return response, err
}

func (c *Conduit) roundTrip(request *http.Request) (*http.Response, error) {
	probe := probeIn(request.Context())
	switch {
	case request.URL.Host != hostOf(c.options.Name):
		return nil, errElsewhere
	case probe != nil:
		return c.ask(request, probe)
	case isWatch(request):
		return c.watch(request)
	default:
		return c.request(request)
	}
}

// ask sends a request of a probe on the connection that is probed.
func (c *Conduit) ask(request *http.Request, probe *probing) (*http.Response, error) {
	response, err := c.answered(probe.route.send(probe.conn, request))
	probe.failure = err
	if err != nil {
		return nil, probeError{}
	}
	response.Body = &body{ReadCloser: response.Body, left: maxError, failed: func(err error) error { return err }, end: func() {}}
	return response, nil
}

// request sends a request, if the gate is open.
func (c *Conduit) request(request *http.Request) (*http.Response, error) {
	through, err := c.options.Gate.enter()
	if err != nil {
		return nil, err
	}
	sender := request.Context()
	ctx, end := c.withTimeout(sender)
	failed := func(err error) error {
		if errors.Is(context.Cause(ctx), errTimeout) {
			err = errTimeout
		}
		through.note(sender, nil, err)
		return err
	}
	response, left, err := c.send(request.WithContext(ctx), nil)
	if err != nil {
		err = failed(err)
		end()
		return nil, err
	}
	through.note(sender, response, nil)
	response.Body = &body{ReadCloser: response.Body, left: maxAnswer(response), failed: failed, end: func() { end(); left() }}
	return response, nil
}

// watch opens a watch when the gate opens. If it cannot be opened, or breaks, the one who watches may resume it.
func (c *Conduit) watch(request *http.Request) (*http.Response, error) {
	through, err := c.options.Gate.await(request.Context())
	if err == nil {
		var response *http.Response
		if response, err = c.openWatch(request, through); err == nil {
			return response, nil
		}
	}
	if request.Context().Err() != nil {
		return nil, err
	}
	return nil, &resumeError{cause: err}
}

// openWatch opens a watch, for which it takes five minutes at most.
func (c *Conduit) openWatch(request *http.Request, through pass) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	late := c.options.Clock.AfterFunc(maxWait, func() { cancel(errTimeout) })
	defer late.Stop()
	response, left, err := c.send(request.WithContext(ctx), &watching{cancel: cancel})
	through.note(request.Context(), response, err)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	end := func() { cancel(nil); left() }
	if isRefusedForNow(response.StatusCode) {
		_ = response.Body.Close() // nobody reads why
		end()
		return nil, errors.New(http.StatusText(response.StatusCode))
	}
	if response.StatusCode != http.StatusOK {
		response.Body = &body{ReadCloser: response.Body, left: maxError, failed: func(err error) error { return err }, end: end}
		return response, nil
	}
	response.Body = newWatchBody(request.Context(), response, through, c.options.Clock, end)
	return response, nil
}

// isRefusedForNow reports whether a watch is refused for a reason that says nothing of its resourceVersion.
func isRefusedForNow(code int) bool {
	return code == http.StatusUnauthorized || code >= http.StatusInternalServerError && code != http.StatusGatewayTimeout
}

// send sends a request on a connection that was asked which cluster it leads to. The function has to be called when the answer was read.
func (c *Conduit) send(request *http.Request, watch *watching) (_ *http.Response, end func(), _ error) {
	current := c.route.Load()
	for current != nil && !current.begin(watch) { // it was exchanged just now
		next := c.route.Load()
		if next == current {
			current = nil
			break
		}
		current = next
	}
	if current == nil {
		return nil, nil, &UnreachableError{Cause: errExchanged}
	}
	conn, err := current.takeOrOpen(request.Context(), c.options.Check)
	if err != nil {
		current.end(watch)
		if isAnotherCluster(err) {
			c.options.Gate.Close(err)
		}
		return nil, nil, &UnreachableError{Cause: err}
	}
	response, err := c.answered(current.send(conn, request))
	if err != nil {
		if current.isRetired() {
			err = errors.Join(errExchanged, err)
		}
		current.end(watch)
		return nil, nil, err
	}
	return response, func() { current.end(watch) }, nil
}

// answered looks at an answer. Those who wait after a refusal do so by their own backoff, and not for as long as the other cluster says.
func (c *Conduit) answered(response *http.Response, err error) (*http.Response, error) {
	if err != nil {
		return nil, err
	}
	response.Header.Del("Retry-After")
	switch {
	case response.StatusCode == http.StatusUnauthorized && c.options.Unauthorized != nil:
		c.options.Unauthorized()
	case response.StatusCode >= http.StatusMultipleChoices && response.StatusCode < http.StatusBadRequest:
		_ = response.Body.Close() // nobody reads it
		return nil, errElsewhere
	}
	return response, nil
}

// note notes the result of a request. One that its sender gave up says nothing, and neither does one whose connection was exchanged, or a failure
// of the API server, which may be that of a proxy before it, or of one API behind it.
func (p pass) note(ctx context.Context, response *http.Response, err error) {
	if unsent, ok := errors.AsType[*UnreachableError](err); ok {
		err = unsent.Cause
	}
	switch {
	case err == nil && response.StatusCode < http.StatusInternalServerError:
		p.heard()
	case err != nil && !errors.Is(err, errExchanged) && !errors.Is(err, errElsewhere) && !errors.Is(ctx.Err(), context.Canceled):
		p.failed(err)
	}
}

func isWatch(request *http.Request) bool {
	watch := request.URL.Query().Get("watch")
	return request.Method == http.MethodGet && (watch == "true" || watch == "1")
}
