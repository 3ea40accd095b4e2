package slow_test

import (
	"context"
	"os"
	"testing"
	"time"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// operatorUser is who the manager is to the API server, and in its audit log.
const operatorUser = "projection-operator"

// timeout bounds how long a test waits for what is to happen. A slow webhook may take part of it.
const timeout = time.Minute

var cluster *env.Environment

func TestMain(m *testing.M) {
	env.Log(false)
	os.Exit(manager.Main(m, &cluster, start, env.WithCRDs(env.CRDs())))
}

// start runs the manager that all tests share.
func start() (*manager.InProcess, error) {
	config, err := cluster.ConfigFor(operatorUser, "system:masters")
	if err != nil {
		return nil, err
	}
	return manager.StartReady(context.Background(), config)
}
