package integration_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// operatorUser is who the manager is to the API server, and in its audit log.
const operatorUser = "projection-operator"

// maxSelectedContent is less than in production, so that sources which do not fit are cheap.
const maxSelectedContent = 1 << 20

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
		if response := hooks.answer(request); response != nil {
			return response, nil
		}
		return next.RoundTrip(request)
	})
	return manager.StartReady(context.Background(), config, func(o *app.Options) { o.MaxSelectedContent = maxSelectedContent })
}

// hooked are the functions that see the requests of the operator, by the tests that they belong to: these run at the same time.
type hooked struct {
	mu     sync.Mutex
	byTest map[*testing.T]func(*http.Request) *http.Response
}

var hooks = hooked{byTest: map[*testing.T]func(*http.Request) *http.Response{}}

// answer returns the first answer; nil if no test answers the request.
func (h *hooked) answer(request *http.Request) *http.Response {
	h.mu.Lock()
	var hooks []func(*http.Request) *http.Response
	for _, hook := range h.byTest {
		hooks = append(hooks, hook)
	}
	h.mu.Unlock()
	for _, hook := range hooks {
		if response := hook(request); response != nil {
			return response
		}
	}
	return nil
}

// set has the test see each request, or none any more if the function is nil.
func (h *hooked) set(t *testing.T, hook func(*http.Request) *http.Response) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byTest[t] = hook; hook == nil {
		delete(h.byTest, t)
	}
}
