package clusterhistories_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/histories"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/env/remotes"
)

var (
	chosen = histories.NewFlags(60, 2)
	logs   = flag.Bool("manager-logs", false, "write what the managers log to standard error")
)

const (
	// operatorUser is who the operator is to the hub. remotes.User is who it is to the other clusters.
	operatorUser = "projection-operator"
	// hubName, eastName and westName are the names of the clusters. The latter are those of RemoteClusters.
	hubName, eastName, westName = "hub", "east", "west"
)

// planes are the control planes, by the name of the cluster.
var planes = map[string]*env.Environment{}

func TestMain(m *testing.M) {
	flag.Parse()
	env.Log(*logs)
	os.Exit(withPlane{hubName, withPlane{eastName, withPlane{westName, withStranger{m}}}}.Run())
}

// runner is what env.Main runs.
type runner interface{ Run() int }

// withPlane runs tests that need one more control plane.
type withPlane struct {
	name  string
	tests runner
}

// Run implements runner.
func (w withPlane) Run() int {
	var plane *env.Environment
	var options []env.Option
	if w.name == hubName {
		options = append(options, env.WithCRDs(env.CRDs()))
	}
	return env.Main(prepared{func() { planes[w.name] = plane }, w.tests}, &plane, options...)
}

// stranger is an API server for which the credentials of the cluster east are valid, and which is another cluster.
var stranger *env.SecondServer

// withStranger runs tests that need the stranger.
type withStranger struct{ tests runner }

// Run implements runner.
func (w withStranger) Run() int {
	storage, err := env.AddressOf(planes[westName].Storage())
	if err == nil {
		stranger, err = planes[eastName].StartSecondServer(context.Background(), storage)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "The histories need another API server:", err)
		return 1
	}
	defer stranger.Kill()
	return w.tests.Run()
}

// prepared runs tests after a preparation.
type prepared struct {
	prepare func()
	tests   runner
}

// Run implements runner.
func (p prepared) Run() int {
	p.prepare()
	return p.tests.Run()
}

// startOperator returns an operator that is ready.
func startOperator() (*manager.InProcess, error) {
	config, err := planes[hubName].ConfigFor(operatorUser, "system:masters")
	if err != nil {
		return nil, fmt.Errorf("make a user: %w", err)
	}
	return manager.StartReady(context.Background(), config, func(o *app.Options) {
		o.RemoteClusters, o.LeaderElectionNamespace = true, remotes.Secrets
	})
}
