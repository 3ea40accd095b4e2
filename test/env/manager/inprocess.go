package manager

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"k8s.io/client-go/rest"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/failpoint"
)

// InProcess is a manager that runs in this process, behind a failpoint of its own.
type InProcess struct {
	*failpoint.Failpoint
	endpoints

	// Options are those that it was started with.
	Options app.Options

	config   *rest.Config
	cancel   context.CancelFunc
	standing chan struct{}
	ended    chan struct{}
	err      error
}

// Start runs a manager in this process with the default options, but without leader election, metrics and probes, unless it
// is adapted. It need not be ready yet.
func Start(config *rest.Config, adapt ...func(*app.Options)) *InProcess {
	options := app.Defaults()
	options.LeaderElect = false
	options.MetricsBindAddress, options.HealthProbeBindAddress = off, off
	for _, change := range adapt {
		change(&options)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &InProcess{
		Failpoint: failpoint.New(), Options: options,
		endpoints: endpointsAt(options.HealthProbeBindAddress, options.MetricsBindAddress, options.MetricsSecure),
		config:    config, cancel: cancel, standing: make(chan struct{}), ended: make(chan struct{}),
	}
	stands := sync.OnceFunc(func() { close(m.standing) })
	behind := rest.CopyConfig(config)
	behind.Wrap(m.Wrap)
	behind = env.Intercept(behind, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if strings.Contains(request.URL.Path, "/leases") {
			stands()
		}
		return next.RoundTrip(request)
	})
	go func() {
		defer close(m.ended)
		m.err = app.Run(ctx, behind, options)
	}()
	return m
}

// StartReady runs a manager in this process as Start does, with probes, and returns when it is ready.
func StartReady(ctx context.Context, config *rest.Config, adapt ...func(*app.Options)) (*InProcess, error) {
	return untilReady(ctx, func() (*InProcess, error) { //nolint:contextcheck // the context bounds the wait, not the manager
		address, err := env.Address()
		if err != nil {
			return nil, err
		}
		probes := func(o *app.Options) { o.HealthProbeBindAddress = address }
		return Start(config, append([]func(*app.Options){probes}, adapt...)...), nil
	})
}

// Standing is closed when the manager has begun to stand for election. It does so when its caches are in sync.
func (m *InProcess) Standing() <-chan struct{} { return m.standing }

// Ended is closed when the manager has ended, by itself or because it was stopped.
func (m *InProcess) Ended() <-chan struct{} { return m.ended }

// Ready returns when the manager is ready, or why it does not get there.
func (m *InProcess) Ready(ctx context.Context) error { return m.ready(ctx, m.ended) }

// Deliver lets the write arrive that was under way when the failpoint tripped, and returns the status of the answer. It
// has left the manager, whose own connections may carry nothing more.
func (m *InProcess) Deliver() (int, error) {
	network, err := rest.TransportFor(m.config)
	if err != nil {
		return 0, err
	}
	return m.Failpoint.Deliver(network)
}

// Stop asks the manager to end as it does on SIGTERM, and returns how it ended.
func (m *InProcess) Stop() error {
	m.cancel()
	<-m.ended
	return m.err
}

// Kill ends the manager without a last word to the API server.
func (m *InProcess) Kill() {
	m.Cut()
	m.cancel()
	<-m.ended
}
