package fleet_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/watch"
	"projection.sh/operator/test/env"
)

// nowhere is an address at which nobody listens.
const nowhere = "127.0.0.1:1"

// heard is a store of the names in one namespace: those that are there, and what was said of them last.
type heard struct {
	namespace string

	mu       sync.Mutex
	names    map[string]string
	replaced int
}

// Replace implements watch.EventHandler.
func (h *heard) Replace([]metav1.Object, string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.replaced++
}

// Event implements watch.EventHandler.
func (h *heard) Event(object metav1.Object, deleted bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if object.GetNamespace() != h.namespace {
		return
	}
	h.names[object.GetName()] = object.GetLabels()["say"]
	if deleted {
		h.names[object.GetName()] = "deleted"
	}
}

func (h *heard) says(t *testing.T, name, what string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		h.mu.Lock()
		defer h.mu.Unlock()
		assert.Equal(c, what, h.names[name])
	}, 2*env.Timeout, env.Interval)
}

// witnessed is a member with a lease and a stream of ConfigMaps.
type witnessed struct {
	*member
	*heard

	presence *fleet.Presence
	stream   *watch.Stream
	client   kubernetes.Interface // of an administrator
}

// newWitnessed follows the ConfigMaps of the member with clients of the configuration. The lease is in the namespace.
func newWitnessed(t *testing.T, m *member, plane *env.Environment, config *rest.Config, namespace string) *witnessed {
	t.Helper()
	w := &witnessed{member: m, heard: &heard{namespace: namespace, names: map[string]string{}}, client: kubernetes.NewForConfigOrDie(plane.Config)}
	w.presence = fleet.NewPresence(fleet.PresenceOptions{
		Leases: kubernetes.NewForConfigOrDie(m.Config()).CoordinationV1().Leases(namespace), Namespace: namespace, Version: func() string { return "" }, Name: "projection-hub", Holder: t.Name(),
		Gate: m.gate, Clock: clock.RealClock{}, Changed: func() {},
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.presence.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	source := watch.FromNow(metadata.NewForConfigOrDie(config).Resource(corev1.SchemeGroupVersion.WithResource("configmaps"))).Witnessed(w.presence)
	w.stream = watch.Open(t.Context(), "configmaps", source, watch.Store(w.heard))
	t.Cleanup(w.stream.Close)
	require.Eventually(t, func() bool { return w.stream.WaitForStart(t.Context()) == nil }, env.Timeout, env.Interval)
	return w
}

// renew has the lease be renewed now.
func (w *witnessed) renew(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return w.presence.State().Kind == fleet.LeaseHeld }, env.Timeout, env.Interval)
	_, chain := w.presence.Latest()
	proven, err := w.presence.Confirm(t.Context(), chain, time.Now())
	require.NoError(t, err)
	require.True(t, proven)
}

// put creates a ConfigMap, or changes what it says.
func (w *witnessed) put(t *testing.T, name, what string) {
	t.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"say": what}}}
	_, err := w.client.CoreV1().ConfigMaps(w.namespace).Update(t.Context(), object, metav1.UpdateOptions{})
	if err != nil {
		_, err = w.client.CoreV1().ConfigMaps(w.namespace).Create(t.Context(), object, metav1.CreateOptions{})
	}
	require.NoError(t, err)
}

func (w *witnessed) delete(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, w.client.CoreV1().ConfigMaps(w.namespace).Delete(t.Context(), name, metav1.DeleteOptions{}))
}

// cut breaks all connections until heal.
func (w *witnessed) cut(t *testing.T) {
	t.Helper()
	w.relay.Switch(nowhere)
	require.Eventually(t, func() bool { return !w.isOpen() }, env.Timeout, env.Interval)
	require.Eventually(t, func() bool { return fleet.IsUnreachable(w.stream.Failure()) }, env.Timeout, env.Interval, "the stream says why it waits")
	since, _ := w.gate.State()
	require.Eventually(t, func() bool { return time.Since(since) > 3*time.Second }, env.Timeout, env.Interval, "longer than watches without a witness go on after")
}

// countOf returns how many of the requests begin like that.
func countOf(requests []string, what string) int {
	n := 0
	for _, request := range requests {
		if strings.HasPrefix(request, what) {
			n++
		}
	}
	return n
}

func newCutMember(t *testing.T, namespace string) (*member, fleet.Access) {
	t.Helper()
	user := newAccount(t, namespace)
	access := tokenAccess(t, namespace, "token")
	return newMember(t, user, access, 0), access
}

// TestMemberThatWasCutOffIsNotListed changes and deletes objects while it is cut off.
func TestMemberThatWasCutOffIsNotListed(t *testing.T) {
	const namespace = "cut-witnessed"
	m, access := newCutMember(t, namespace)
	w := newWitnessed(t, m, cluster, m.Config(), namespace)
	w.put(t, "deleted", "first")
	w.says(t, "deleted", "first")
	w.renew(t)
	w.put(t, "changed", "before")
	w.put(t, "changed", "again")
	w.says(t, "changed", "again")
	m.count(t)

	w.cut(t)
	w.put(t, "changed", "later")
	w.delete(t, "deleted")
	w.put(t, "added", "later")
	m.relay.Switch(access.Server.Host)
	w.says(t, "added", "later")
	w.says(t, "changed", "later")
	w.says(t, "deleted", "deleted")
	requests := m.requests(t)
	assert.Zero(t, countOf(requests, "list"), requests)
	assert.Equal(t, 1, countOf(requests, "watch configmaps"), requests)
	assert.Equal(t, 1, w.replaced)
	all, err := cluster.RequestsSince(m.mark, m.user)
	require.NoError(t, err)
	renewals := 0
	for _, request := range all {
		if request.Resource == "leases" {
			assert.Equal(t, "update", request.Verb)
			renewals++
		}
	}
	assert.LessOrEqual(t, renewals, 2)
	assert.NotZero(t, renewals)
}

// TestMemberWithoutALeaseIsListedOnce has credentials that permit none.
func TestMemberWithoutALeaseIsListedOnce(t *testing.T) {
	const namespace = "cut-unwitnessed"
	m, access := newCutMember(t, namespace)
	w := newWitnessed(t, m, cluster, m.Config(), "cut-without-home")
	require.Eventually(t, func() bool { return w.presence.State().Kind == fleet.HomeMissing }, env.Timeout, env.Interval)
	m.count(t)
	w.cut(t)
	m.relay.Switch(access.Server.Host)
	require.Eventually(t, func() bool { return w.stream.Failure() == nil && m.isOpen() }, 2*env.Timeout, env.Interval)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		w.mu.Lock()
		defer w.mu.Unlock()
		assert.Equal(c, 2, w.replaced)
	}, 2*env.Timeout, env.Interval)
	assert.Equal(t, 1, countOf(m.requests(t), "list"))
}

// forgets answers watches as an API server does that has compacted its history.
type forgets struct {
	http.RoundTripper

	isOn atomic.Bool
}

func (f *forgets) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Query().Get("watch") == "" || !f.isOn.CompareAndSwap(true, false) {
		return f.RoundTripper.RoundTrip(request)
	}
	response, err := f.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close() // another one takes its place
	answer := `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version","reason":"Expired","code":410}}`
	response.Header.Set("Content-Type", "application/json")
	response.Body = io.NopCloser(strings.NewReader(answer + "\n"))
	return response, nil
}

// TestMemberThatForgotIsListedOnce has the API server have compacted the history while it was cut off.
func TestMemberThatForgotIsListedOnce(t *testing.T) {
	const namespace = "cut-compacted"
	m, access := newCutMember(t, namespace)
	forgetful := &forgets{}
	config := m.Config()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		forgetful.RoundTripper = next
		return forgetful
	})
	w := newWitnessed(t, m, cluster, config, namespace)
	w.renew(t)
	w.put(t, "seen", "before")
	w.says(t, "seen", "before")
	m.count(t)
	w.cut(t)
	forgetful.isOn.Store(true)
	m.relay.Switch(access.Server.Host)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		w.mu.Lock()
		defer w.mu.Unlock()
		assert.Equal(c, 2, w.replaced)
	}, 2*env.Timeout, env.Interval)
	w.put(t, "seen", "after")
	w.says(t, "seen", "after")
	assert.Equal(t, 1, countOf(m.requests(t), "list"))
}
