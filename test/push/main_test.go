package push_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/env/remotes"
)

// operatorUser is who the operator is to the hub.
const operatorUser = "projection-operator"

var hub, east, west *env.Environment

// operator is what all tests share. A test that restarts it puts another one into its place.
var operator *manager.InProcess

func TestMain(m *testing.M) {
	env.Log(true)
	os.Exit(env.Main(withMember{withHub{m}, &east}, &west, env.WithCRDs(env.CRDs()))) // west is a hub, too
}

// runner is what env.Main runs.
type runner interface{ Run() int }

// withMember runs tests that need one more control plane.
type withMember struct {
	tests  runner
	member **env.Environment
}

// Run implements runner.
func (w withMember) Run() int { return env.Main(w.tests, w.member) }

// withHub runs tests that need a hub besides.
type withHub struct{ m *testing.M }

// Run implements runner.
func (w withHub) Run() int { return manager.Main(w.m, &hub, start, env.WithCRDs(env.CRDs())) }

// shared stops the operator that there is in the end.
type shared struct{}

// Stop implements what manager.Main wants.
func (shared) Stop() error { return operator.Stop() }

// start runs the operator that all tests share.
func start() (shared, error) { return startAs(func(*app.Options) {}) }

func startAs(adapt func(*app.Options)) (shared, error) {
	config, err := hub.ConfigFor(operatorUser, "system:masters")
	if err != nil {
		return shared{}, err
	}
	operator, err = manager.StartReady(context.Background(), config, func(o *app.Options) {
		o.RemoteClusters, o.LeaderElectionNamespace = true, remotes.Secrets
		adapt(o)
	})
	return shared{}, err
}

// restart stops the operator, calls the function, and starts another one.
func restart(t *testing.T, meanwhile func()) {
	t.Helper()
	require.NoError(t, operator.Stop())
	meanwhile()
	_, err := start()
	require.NoError(t, err)
}

// restartAs has the operator have other options until the test ends.
func restartAs(t *testing.T, adapt func(*app.Options)) {
	t.Helper()
	require.NoError(t, operator.Stop())
	_, err := startAs(adapt)
	require.NoError(t, err)
	t.Cleanup(func() { restart(t, func() {}) })
}
