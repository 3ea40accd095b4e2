package watch_test

import (
	"context"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"projection.sh/operator/components/watch"
)

const (
	soon = 30 * time.Second
	tick = 10 * time.Millisecond
)

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	secrets     = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

// alarm records who is woken.
type alarm struct {
	mu    sync.Mutex
	woken []call
}

type call struct {
	rule  watch.RuleKey
	cause watch.Trigger
}

func (a *alarm) wake(rule watch.RuleKey, cause watch.Trigger, noticed time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Since(noticed) < time.Minute {
		a.woken = append(a.woken, call{rule, cause})
	}
}

// take returns the calls so far, and forgets them.
func (a *alarm) take() []call {
	a.mu.Lock()
	defer a.mu.Unlock()
	woken := a.woken
	a.woken = nil
	return woken
}

// rings waits until the rule has been woken because of its source, and returns all calls until then.
func (a *alarm) rings(t *testing.T, rule watch.RuleKey) []call {
	t.Helper()
	var all []call
	require.Eventuallyf(t, func() bool {
		taken := a.take()
		all = append(all, taken...)
		return slices.Contains(taken, call{rule, watch.SourceChanged})
	}, soon, tick, "%s is not woken", rule)
	return all
}

// field is a namespace, and sources that are watched by way of a tap.
type field struct {
	t         *testing.T
	client    kubernetes.Interface
	namespace string
	tap       *tap
	alarm     *alarm
	objects   *watch.Objects
	sources   *watch.Sources
	blockers  *watch.Blockers
}

func newField(t *testing.T) *field {
	t.Helper()
	f := &field{t: t, client: kubernetes.NewForConfigOrDie(cluster.Config), tap: &tap{open: map[*stream]struct{}{}}, alarm: &alarm{}}
	namespace, err := f.client.CoreV1().Namespaces().
		Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "watch-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	f.namespace = namespace.Name
	f.objects = watch.NewObjects(t.Context(), f.metadata(cluster.Config))
	f.sources = watch.NewSources(f.objects, f.alarm.wake)
	f.blockers = watch.NewBlockers(f.objects, f.alarm.wake)
	return f
}

// metadata returns a client that goes by way of the tap.
func (f *field) metadata(config *rest.Config) metadata.Interface {
	return metadata.NewForConfigOrDie(f.tap.on(config))
}

func (f *field) at(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: f.namespace, Name: name}
}

func (f *field) follow(rule watch.RuleKey, kind schema.GroupVersionResource, name string) {
	f.t.Helper()
	require.NoError(f.t, f.sources.Watch(f.t.Context(), rule, kind, f.at(name)))
	f.blockers.Begin(rule, kind)
}

func (f *field) create(name string) *corev1.ConfigMap {
	f.t.Helper()
	created, err := f.client.CoreV1().ConfigMaps(f.namespace).
		Create(f.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(f.t, err)
	return created
}

func (f *field) merge(name, patch string) *corev1.ConfigMap {
	f.t.Helper()
	patched, err := f.client.CoreV1().ConfigMaps(f.namespace).
		Patch(f.t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(f.t, err)
	return patched
}

func (f *field) delete(name string) {
	f.t.Helper()
	require.NoError(f.t, f.client.CoreV1().ConfigMaps(f.namespace).Delete(f.t.Context(), name, metav1.DeleteOptions{}))
}

// tap sits between a client and the API server. It can cut watches, and answer them itself.
type tap struct {
	mu      sync.Mutex
	open    map[*stream]struct{}
	expired []string      // resources whose next watch is answered that it has expired
	held    chan struct{} // if set, lists wait until it is closed
	uris    []string
}

func (t *tap) on(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport(func(request *http.Request) (*http.Response, error) { return t.roundTrip(next, request) })
	})
	return config
}

func (t *tap) roundTrip(next http.RoundTripper, request *http.Request) (*http.Response, error) {
	watches := request.URL.Query().Get("watch") != ""
	t.mu.Lock()
	t.uris = append(t.uris, request.URL.RequestURI())
	at := slices.Index(t.expired, path.Base(request.URL.Path))
	if watches && at >= 0 {
		t.expired = slices.Delete(t.expired, at, at+1)
		t.mu.Unlock()
		return &http.Response{
			StatusCode: http.StatusOK, Request: request, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(hasExpired)),
		}, nil
	}
	t.mu.Unlock()
	if !watches {
		if t.held != nil {
			<-t.held
		}
		return next.RoundTrip(request)
	}
	ctx, cancel := context.WithCancel(request.Context())
	response, err := next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	body := &stream{ReadCloser: response.Body, tap: t, ctx: ctx, cancel: cancel}
	t.mu.Lock()
	t.open[body] = struct{}{}
	t.mu.Unlock()
	response.Body = body
	return response, nil
}

// cut ends all watches as an API server does that goes away.
func (t *tap) cut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for body := range t.open {
		body.cancel()
	}
}

// hasExpired is the body of the answer of an API server that no longer knows the version from which a watch is to begin.
const hasExpired = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}}` + "\n"

// expire cuts all watches, and has the next one on the resource expire.
func (t *tap) expire(resource string) {
	t.mu.Lock()
	t.expired = append(t.expired, resource)
	t.mu.Unlock()
	t.cut()
}

// watches returns how many watches are open.
func (t *tap) watches() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// requests returns the URIs of all requests so far.
func (t *tap) requests() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.uris...)
}

// stream is the body of a watch.
type stream struct {
	io.ReadCloser
	tap    *tap
	ctx    context.Context //nolint:containedctx // the body ends with it
	cancel context.CancelFunc
}

func (s *stream) Read(into []byte) (int, error) {
	n, err := s.ReadCloser.Read(into)
	if err != nil && s.ctx.Err() != nil {
		return n, io.EOF
	}
	return n, err
}

func (s *stream) Close() error {
	s.cancel()
	s.tap.mu.Lock()
	delete(s.tap.open, s)
	s.tap.mu.Unlock()
	return s.ReadCloser.Close()
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) { return t(request) }

// watches returns how many watches on sources are open.
func (f *field) watches() int {
	open, _ := f.objects.Watches()
	return open
}
