package app

import (
	"context"
	"io"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"
)

// readsEndWith returns a configuration whose reads end when the context does, whatever context they have themselves. Example: while a
// manager is set up, controller-runtime asks discovery for the kinds that it caches, without a context. An API server that accepts the
// connection and never answers would keep the process from ending.
func readsEndWith(running context.Context, config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return endingTransport{running, next} })
	return config
}

// endingTransport sends reads that end with a context. Writes have the contexts of their reconciles.
type endingTransport struct {
	running context.Context //nolint:containedctx // the manager's, which those who read do not have
	next    http.RoundTripper
}

func (t endingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		return t.next.RoundTrip(request)
	}
	ctx, cancel := context.WithCancelCause(request.Context())
	stop := context.AfterFunc(t.running, func() { cancel(context.Cause(t.running)) }) //nolint:contextcheck // the other context is the point
	end := sync.OnceFunc(func() {
		stop()
		cancel(nil)
	})
	response, err := t.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		end()
		return nil, err
	}
	response.Body = endingBody{response.Body, end}
	return response, nil
}

// endingBody is the body of a response, whose request ends when the body is closed.
type endingBody struct {
	io.ReadCloser
	end func()
}

func (b endingBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
