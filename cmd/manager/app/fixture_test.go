package app_test

import (
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// running is a manager in this process.
type running struct {
	*manager.InProcess
	t *testing.T
}

// run starts a manager that leads without election and serves no metrics, unless it is adapted.
func run(t *testing.T, config *rest.Config, adapt func(*app.Options)) running {
	t.Helper()
	m := running{t: t, InProcess: manager.Start(config, func(o *app.Options) {
		o.HealthProbeBindAddress = address(t)
		if adapt != nil {
			adapt(o)
		}
		require.NoError(t, o.Validate())
	})}
	t.Cleanup(func() { _ = m.Stop() })
	return m
}

// stop asks the manager to end and returns how long that took.
func (m running) stop() time.Duration {
	m.t.Helper()
	begun := time.Now()
	require.NoError(m.t, m.Stop())
	return time.Since(begun)
}

// address returns an address that nobody listens on.
func address(t *testing.T) string {
	t.Helper()
	address, err := env.Address()
	require.NoError(t, err)
	return address
}

// health returns the status of a probe; 0 while nobody answers.
func (m running) health(path string) int {
	m.t.Helper()
	status, _ := m.Probe(m.t.Context(), path)
	return status
}

func (m running) ready() {
	m.t.Helper()
	require.NoError(m.t, m.Ready(m.t.Context()))
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
	c, err := env.NewClient(cluster.Config)
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

// newSilentServer returns the configuration of an API server that accepts connections and answers nothing, and a channel that is closed
// with the first connection.
func newSilentServer(t *testing.T) (config *rest.Config, connected <-chan struct{}) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	first := make(chan struct{})
	go func() {
		for tell := sync.OnceFunc(func() { close(first) }); ; tell() {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = connection.Close() })
		}
	}()
	return &rest.Config{Host: "http://" + listener.Addr().String()}, first
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
	return env.Intercept(config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
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
}
