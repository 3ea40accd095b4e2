package deploy_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/failpoint"
)

const (
	// soon bounds how long a test waits for what is to happen. It is generous: a limit on speed belongs into a benchmark.
	soon = 30 * time.Second
	tick = 20 * time.Millisecond
	// later bounds the end of definitions: the API server waits a minute where it cannot look for their objects at once.
	later = 5 * time.Minute
)

// install installs the chart with the values, until the test ends.
func install(t *testing.T, values string) {
	t.Helper()
	createNamespace(t, namespace)
	helm(t, "install", release, env.Chart(), "--values", file(t, values))
	t.Cleanup(func() { remove(t) })
}

// helm does something with releases of the namespace.
func helm(t *testing.T, args ...string) string {
	t.Helper()
	out, err := cluster.Helm(t.Context(), append(args, "--namespace", namespace)...)
	require.NoError(t, err)
	return out
}

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// remove leaves nothing of an installation behind, whatever state it is in.
func remove(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	_, err := cluster.Helm(ctx, "uninstall", release, "--ignore-not-found", "--namespace", namespace)
	require.NoError(t, err)
	_, err = cluster.Kubectl(ctx, "delete", "crd", "projections.projection.sh", "clusterprojections.projection.sh", "--ignore-not-found", "--timeout", later.String())
	require.NoError(t, err)
	_, err = cluster.Kubectl(ctx, "delete", "lease", "--all", "--namespace", namespace)
	require.NoError(t, err)
}

// operator is a manager that runs in this process, with a token of its service account.
type operator struct {
	metrics    string
	connection *failpoint.Failpoint
	cancel     context.CancelFunc
	ended      func() error
}

// operate runs the manager as the service account.
func operate(t *testing.T, account string) *operator {
	t.Helper()
	config, err := cluster.ServiceAccountConfig(t.Context(), namespace, account)
	require.NoError(t, err)
	connection := failpoint.New()
	config.Wrap(connection.Wrap)
	options := app.Defaults()
	options.LeaderElectionNamespace = namespace
	options.MetricsBindAddress, options.HealthProbeBindAddress = address(t), address(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx, config, options) }()
	o := &operator{
		metrics: options.MetricsBindAddress, connection: connection,
		cancel: cancel, ended: sync.OnceValue(func() error { return <-ended }),
	}
	t.Cleanup(func() {
		cancel()
		_ = o.ended()
	})
	require.Eventually(t, func() bool { return get(t, "http://"+options.HealthProbeBindAddress+"/readyz", "") == http.StatusOK }, soon, tick)
	return o
}

// stop asks the operator to end, and waits until it has.
func (o *operator) stop(t *testing.T) {
	t.Helper()
	o.cancel()
	require.NoError(t, o.ended())
}

// scrape returns the status with which the token gets the metrics.
func (o *operator) scrape(t *testing.T, token string) int {
	t.Helper()
	return get(t, "https://"+o.metrics+"/metrics", token)
}

func address(t *testing.T) string {
	t.Helper()
	port, err := env.FreePort()
	require.NoError(t, err)
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// trusting is a client that takes the operator's own certificate.
var trusting = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

// get returns the status of the answer; 0 while nobody answers.
func get(t *testing.T, url, token string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := trusting.Do(request)
	if err != nil {
		return 0
	}
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

// kubectl does something with the whole cluster.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := cluster.Kubectl(t.Context(), args...)
	require.NoError(t, err)
	return out
}
