package failpoint

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"k8s.io/client-go/rest"

	"projection.sh/operator/cmd/manager/app"
)

// Manager is a manager that runs in this process behind a failpoint of its own.
type Manager struct {
	*Failpoint
	config   *rest.Config
	cancel   context.CancelFunc
	standing chan struct{}
	ended    chan struct{}
	err      error
}

// Start runs a manager with the default options, but alone and without metrics and probes. It need not be ready yet.
func Start(config *rest.Config, adapt func(*app.Options)) *Manager {
	options := app.Defaults()
	options.LeaderElect = false
	options.MetricsBindAddress, options.HealthProbeBindAddress = "0", "0"
	adapt(&options)

	ctx, cancel := context.WithCancel(context.Background())
	m := &Manager{Failpoint: New(), config: config, cancel: cancel, standing: make(chan struct{}), ended: make(chan struct{})}
	wrapped := rest.CopyConfig(config)
	wrapped.Wrap(m.Wrap)
	stands := sync.OnceFunc(func() { close(m.standing) })
	wrapped.Wrap(func(next http.RoundTripper) http.RoundTripper { return herald{next, stands} })
	go func() {
		defer close(m.ended)
		m.err = app.Run(ctx, wrapped, options)
	}()
	return m
}

// Standing is closed when the manager has begun to stand for election. It does so when its caches are in sync.
func (m *Manager) Standing() <-chan struct{} { return m.standing }

// Ended is closed when the manager has ended, by itself or because it was stopped.
func (m *Manager) Ended() <-chan struct{} { return m.ended }

// Deliver lets the write arrive that was under way when the failpoint tripped, and returns the status of the answer. It
// has left the manager, whose own connections may carry nothing more.
func (m *Manager) Deliver() (int, error) {
	network, err := rest.TransportFor(m.config)
	if err != nil {
		return 0, err
	}
	return m.deliver(network)
}

// Stop asks the manager to end as it does on SIGTERM, and returns how it ended.
func (m *Manager) Stop() error {
	m.cancel()
	<-m.ended
	return m.err
}

// Kill ends the manager without a last word to the API server.
func (m *Manager) Kill() {
	m.Cut()
	m.cancel()
	<-m.ended
}

// herald tells when the first request for a lease is made.
type herald struct {
	next   http.RoundTripper
	stands func()
}

func (h herald) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.Contains(request.URL.Path, leases) {
		h.stands()
	}
	return h.next.RoundTrip(request)
}
