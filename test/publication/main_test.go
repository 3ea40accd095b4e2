package publication_test

import (
	"context"
	"os"
	"testing"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

const (
	// operatorUser is who the operator is to the hub, and memberUser who it is to the member.
	operatorUser, memberUser = "projection-operator", "projection-hub"
	// operators is the namespace of the hub with the kubeconfigs.
	operators = "default"
)

var hub, member *env.Environment

func TestMain(m *testing.M) {
	env.Log(true)
	os.Exit(env.Main(withHub{m}, &member))
}

// withHub runs tests that need a hub besides.
type withHub struct{ m *testing.M }

// Run implements the argument of env.Main.
func (w withHub) Run() int { return manager.Main(w.m, &hub, start, env.WithCRDs(env.CRDs())) }

// operator is what all tests share. A test may start it again.
type operator struct{ *manager.InProcess }

var running = &operator{}

// start runs the operator.
func start() (*operator, error) {
	config, err := hub.ConfigFor(operatorUser, "system:masters")
	if err != nil {
		return nil, err
	}
	running.InProcess, err = manager.StartReady(context.Background(), config, func(o *app.Options) {
		o.RemoteClusters, o.LeaderElectionNamespace = true, operators
	})
	return running, err
}
