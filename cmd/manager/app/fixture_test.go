package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
)

const (
	soon = 30 * time.Second
	tick = 20 * time.Millisecond
)

// manager is one that runs in this process.
type manager struct {
	t       *testing.T
	options app.Options
	cancel  context.CancelFunc
	ended   chan struct{}
	err     error
}

// run starts a manager that leads without election and serves no metrics, unless it is adapted.
func run(t *testing.T, config *rest.Config, adapt func(*app.Options)) *manager {
	t.Helper()
	m := &manager{t: t, options: app.Defaults(), ended: make(chan struct{})}
	m.options.LeaderElect = false
	m.options.MetricsBindAddress = "0"
	m.options.HealthProbeBindAddress = address(t)
	if adapt != nil {
		adapt(&m.options)
	}
	require.NoError(t, m.options.Validate())
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	go func() {
		defer close(m.ended)
		m.err = app.Run(ctx, rest.CopyConfig(config), m.options)
	}()
	t.Cleanup(func() {
		cancel()
		<-m.ended
	})
	return m
}

// stop asks the manager to end and returns how long that took.
func (m *manager) stop() time.Duration {
	m.t.Helper()
	begun := time.Now()
	m.cancel()
	<-m.ended
	require.NoError(m.t, m.err)
	return time.Since(begun)
}

// address returns an address that nobody listens on.
func address(t *testing.T) string {
	t.Helper()
	port, err := env.FreePort()
	require.NoError(t, err)
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// health returns the status of a probe; 0 while nobody answers.
func (m *manager) health(path string) int {
	m.t.Helper()
	status, _ := get(m.t, http.DefaultClient, "http://"+m.options.HealthProbeBindAddress+path, "")
	return status
}

func (m *manager) ready() {
	m.t.Helper()
	require.Eventually(m.t, func() bool { return m.health("/readyz") == http.StatusOK }, soon, tick, "the manager does not get ready")
}

// get returns the status and body of the answer, with the token as the client's credential if there is one.
func get(t *testing.T, client *http.Client, url, token string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

func kube() *kubernetes.Clientset { return kubernetes.NewForConfigOrDie(cluster.Config) }

func newNamespace(t *testing.T) string {
	t.Helper()
	namespace, err := kube().CoreV1().Namespaces().
		Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "app-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return namespace.Name
}

func rules(t *testing.T) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, v1.AddToScheme(scheme))
	c, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	return c
}

// newRule creates a Projection of a source that does not exist.
func newRule(t *testing.T, labels map[string]string) *v1.Projection {
	t.Helper()
	namespace := newNamespace(t)
	rule := &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "rule", Labels: labels},
		Spec:       v1.ProjectionSpec{Source: v1.SourceRef{Kind: "ConfigMap", Namespace: namespace, Name: "nothing"}, Destination: v1.ProjectionDestination{Name: "copy"}},
	}
	require.NoError(t, rules(t).Create(t.Context(), rule))
	return rule
}

// served reports whether a manager has had a look at the rule.
func served(t *testing.T, rule *v1.Projection) bool {
	t.Helper()
	require.NoError(t, rules(t).Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
	return len(rule.Status.Conditions) == 3
}

// gate holds requests for a path until it is opened.
type gate struct {
	path    string
	arrived chan struct{}
	opened  chan struct{}
	once    sync.Once
}

func newGate(path string) *gate {
	return &gate{path: path, arrived: make(chan struct{}), opened: make(chan struct{})}
}

// on returns a configuration whose requests go through the gate.
func (g *gate) on(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport(func(request *http.Request) (*http.Response, error) {
			if request.URL.Path == g.path {
				g.once.Do(func() { close(g.arrived) })
				select {
				case <-g.opened:
				case <-request.Context().Done():
					return nil, request.Context().Err()
				}
			}
			return next.RoundTrip(request)
		})
	})
	return config
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) { return t(request) }
