package integration_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// operatorUser is who the manager is to the API server, and in its audit log.
const operatorUser = "projection-operator"

var cluster *env.Environment

func TestMain(m *testing.M) {
	ctrl.SetLogger(zap.New(zap.UseDevMode(true), zap.WriteTo(os.Stderr)))
	os.Exit(manager.Main(m, &cluster, start,
		env.WithCRDs(env.CRDs(), filepath.Join("testdata", "crds")), env.WithControllerManager()))
}

// start runs the manager that all tests share.
func start() (*manager.InProcess, error) {
	config, err := cluster.ConfigFor(operatorUser, "system:masters")
	if err != nil {
		return nil, err
	}
	return manager.StartReady(context.Background(), config)
}
