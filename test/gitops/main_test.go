package gitops_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

const (
	// operatorUser is who the manager is to the API server. testdata/rights.yaml says what it may do.
	operatorUser = "projection-operator"
	// served is the label of the rules that the manager looks at.
	served = "served"
)

var (
	cluster  *env.Environment
	operator *manager.InProcess
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	os.Exit(manager.Main(m, &cluster, start, env.WithCRDs(env.CRDs())))
}

// start runs the manager that all tests share.
func start() (*manager.InProcess, error) {
	if _, err := cluster.Kubectl(context.Background(), "apply", "--filename", filepath.Join("testdata", "rights.yaml")); err != nil {
		return nil, err
	}
	config, err := cluster.ConfigFor(operatorUser)
	if err != nil {
		return nil, err
	}
	metrics, err := env.Address()
	if err != nil {
		return nil, err
	}
	operator = manager.Start(config, func(o *app.Options) {
		o.WatchLabelSelector, o.RequeueInterval = served, time.Second
		o.LeaderElect, o.LeaderElectionNamespace = true, "default"
		o.MetricsBindAddress, o.MetricsSecure = metrics, false
	})
	return operator, nil
}
