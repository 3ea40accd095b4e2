package push_test

import (
	"context"
	"os"
	"testing"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/env/remotes"
)

// operatorUser is who the operator is to the hub.
const operatorUser = "projection-operator"

var hub, east, west *env.Environment

func TestMain(m *testing.M) {
	env.Log(true)
	os.Exit(env.Main(withMember{withHub{m}, &east}, &west))
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

// start runs the operator that all tests share.
func start() (*manager.InProcess, error) {
	config, err := hub.ConfigFor(operatorUser, "system:masters")
	if err != nil {
		return nil, err
	}
	return manager.StartReady(context.Background(), config, func(o *app.Options) {
		o.RemoteClusters, o.LeaderElectionNamespace = true, remotes.Secrets
	})
}
