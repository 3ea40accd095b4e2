package failpoint

import (
	"context"

	"k8s.io/client-go/rest"

	"projection.sh/operator/cmd/manager/app"
)

// Manager is a manager that runs in this process behind a failpoint of its own.
type Manager struct {
	*Failpoint
	cancel context.CancelFunc
	ended  chan struct{}
	err    error
}

// Start runs a manager with the default options, but alone and without metrics and probes. It need not be ready yet.
func Start(config *rest.Config, adapt func(*app.Options)) *Manager {
	options := app.Defaults()
	options.LeaderElect = false
	options.MetricsBindAddress, options.HealthProbeBindAddress = "0", "0"
	adapt(&options)

	ctx, cancel := context.WithCancel(context.Background())
	m := &Manager{Failpoint: New(), cancel: cancel, ended: make(chan struct{})}
	wrapped := rest.CopyConfig(config)
	wrapped.Wrap(m.Wrap)
	go func() {
		defer close(m.ended)
		m.err = app.Run(ctx, wrapped, options)
	}()
	return m
}

// Ended is closed when the manager has ended, by itself or because it was stopped.
func (m *Manager) Ended() <-chan struct{} { return m.ended }

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
