package integration_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// operatorUser is who the manager is to the API server, and in its audit log.
const operatorUser = "projection-operator"

var cluster *env.Environment

func TestMain(m *testing.M) {
	env.Log(true)
	os.Exit(manager.Main(m, &cluster, start,
		env.WithCRDs(env.CRDs(), filepath.Join("testdata", "crds")), env.WithControllerManager()))
}

// start runs the manager that all tests share.
func start() (*manager.InProcess, error) {
	config, err := cluster.ConfigFor(operatorUser, "system:masters")
	if err != nil {
		return nil, err
	}
	config = env.Intercept(config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if hook := answering.Load(); hook != nil {
			if response := (*hook)(request); response != nil {
				return response, nil
			}
		}
		return next.RoundTrip(request)
	})
	return manager.StartReady(context.Background(), config)
}

var answering atomic.Pointer[func(*http.Request) *http.Response]
