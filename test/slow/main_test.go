package slow_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
)

// operatorUser is who the manager is to the API server, and in its audit log.
const operatorUser = "projection-operator"

var cluster *env.Environment

func TestMain(m *testing.M) {
	os.Exit(env.Main(withManager{m}, &cluster, env.WithCRDs(env.CRDs())))
}

// withManager runs the tests beside one manager that lives as long as they do.
type withManager struct{ tests *testing.M }

func (w withManager) Run() int {
	ctrl.SetLogger(logr.Discard())
	stop, err := startManager()
	if err != nil {
		fmt.Fprintln(os.Stderr, "The tests need a manager:", err)
		return 1
	}
	code := w.tests.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "The manager did not end cleanly:", err)
		code = max(code, 1)
	}
	return code
}

// startManager runs a manager until it is stopped, and returns when it is ready.
func startManager() (stop func() error, err error) {
	config, err := cluster.ConfigFor(operatorUser, "system:masters")
	if err != nil {
		return nil, err
	}
	port, err := env.FreePort()
	if err != nil {
		return nil, err
	}
	options := app.Defaults()
	options.LeaderElect = false
	options.MetricsBindAddress = "0"
	options.HealthProbeBindAddress = fmt.Sprintf("127.0.0.1:%d", port)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx, config, options) }()
	stop = func() error {
		cancel()
		return <-ended
	}
	if err := waitUntilReady(options.HealthProbeBindAddress); err != nil {
		return nil, errors.Join(err, stop())
	}
	return stop, nil
}

func waitUntilReady(address string) error {
	return wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", http.NoBody)
		if err != nil {
			return false, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false, nil
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK, nil
	})
}
