package gitops_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/failpoint"
)

const (
	// operatorUser is who the manager is to the API server. testdata/rights.yaml says what it may do.
	operatorUser = "projection-operator"
	// served is the label of the rules that the manager looks at.
	served = "served"
)

var (
	cluster *env.Environment
	// metrics is the address of the manager's.
	metrics string
)

func TestMain(m *testing.M) { os.Exit(env.Main(withManager{m}, &cluster, env.WithCRDs(env.CRDs()))) }

// withManager runs the tests beside one manager that lives as long as they do.
type withManager struct{ tests *testing.M }

func (w withManager) Run() int {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	manager, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "The tests need a manager:", err)
		return 1
	}
	code := w.tests.Run()
	if err := manager.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "The manager did not end cleanly:", err)
		code = max(code, 1)
	}
	return code
}

func start() (*failpoint.Manager, error) {
	if _, err := cluster.Kubectl(context.Background(), "apply", "--filename", filepath.Join("testdata", "rights.yaml")); err != nil {
		return nil, err
	}
	config, err := cluster.ConfigFor(operatorUser)
	if err != nil {
		return nil, err
	}
	port, err := env.FreePort()
	if err != nil {
		return nil, err
	}
	metrics = fmt.Sprintf("127.0.0.1:%d", port)
	return failpoint.Start(config, func(o *app.Options) {
		o.WatchLabelSelector, o.RequeueInterval = served, time.Second
		o.LeaderElect, o.LeaderElectionNamespace = true, "default"
		o.MetricsBindAddress, o.MetricsSecure = metrics, false
	}), nil
}
