package fleet_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/faults"
)

// TestNewTokenBreaksNoWatch has the former token end while a watch is open that was begun with it.
func TestNewTokenBreaksNoWatch(t *testing.T) {
	const namespace = "new-token"
	user := newAccount(t, namespace)
	m := newMember(t, user, tokenAccess(t, namespace, "former"), 0)
	seen := m.follow(t, namespace)
	createConfigMap(t, namespace, "before")
	m.await(t, seen, namespace, "before")
	m.count(t)

	next := tokenAccess(t, namespace, "next")
	require.NoError(t, admin().CoreV1().Secrets(namespace).Delete(t.Context(), "former", metav1.DeleteOptions{}))
	client := kubernetes.NewForConfigOrDie(m.Config())
	get := func() error {
		_, err := client.CoreV1().ConfigMaps(namespace).Get(t.Context(), "before", metav1.GetOptions{})
		return err
	}
	require.Eventually(t, func() bool { return apierrors.IsUnauthorized(get()) }, env.Timeout, env.Interval, "the former token ends")
	require.NoError(t, m.Exchange(t.Context(), m.relayed(next)))
	require.NoError(t, get())
	createConfigMap(t, namespace, "after")
	m.await(t, seen, namespace, "after")
	for _, request := range m.requests(t) {
		// After an answer 401, the API server takes no further request on the connection. So the next one asks for the identity.
		assert.Contains(t, []string{"get configmaps", "get namespaces"}, request, "neither a list nor a watch")
	}
}

// TestNewCertificateResumesWatches exchanges the client certificate of the same user.
func TestNewCertificateResumesWatches(t *testing.T) {
	const namespace, user = "new-certificate", "rotated"
	newAccount(t, namespace)
	former, err := cluster.ConfigFor(user, "system:masters")
	require.NoError(t, err)
	m := newMember(t, user, accessOf(t, former), 0)
	seen := m.follow(t, namespace)
	createConfigMap(t, namespace, "before")
	m.await(t, seen, namespace, "before")
	m.count(t)

	next, err := cluster.ConfigFor(user, "system:masters")
	require.NoError(t, err)
	require.NoError(t, m.Exchange(t.Context(), m.relayed(accessOf(t, next))))
	createConfigMap(t, namespace, "after")
	m.await(t, seen, namespace, "after")
	assert.Equal(t, []string{"get namespaces", "watch configmaps"}, m.requests(t))
}

func TestWatchResumesAfterACut(t *testing.T) {
	tests := map[string]struct {
		ping      time.Duration
		cut, heal func(r *faults.Relay, server string)
	}{
		"broken": {
			0,
			func(r *faults.Relay, _ string) { r.Switch("127.0.0.1:1") },
			func(r *faults.Relay, server string) { r.Switch(server) },
		},
		"silent": {
			2 * time.Second,
			func(r *faults.Relay, _ string) { r.Stall() },
			func(r *faults.Relay, _ string) { r.Resume() },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			namespace := "cut-" + name
			user := newAccount(t, namespace)
			access := tokenAccess(t, namespace, "token")
			m := newMember(t, user, access, test.ping)
			seen := m.follow(t, namespace)
			createConfigMap(t, namespace, "before")
			m.await(t, seen, namespace, "before")
			m.count(t)

			test.cut(m.relay, access.Server.Host)
			require.Eventually(t, func() bool { return !m.isOpen() }, env.Timeout, env.Interval)
			createConfigMap(t, namespace, "while-away")
			since, _ := m.gate.State()
			require.Eventually(t, func() bool { return time.Since(since) > 3*time.Second }, env.Timeout, env.Interval, "longer than a restart of a reflector")
			test.heal(m.relay, access.Server.Host)
			m.await(t, seen, namespace, "while-away")
			require.Eventually(t, m.isOpen, env.Timeout, env.Interval)
			assert.Equal(t, []string{"get namespaces", "watch configmaps"}, m.requests(t))
		})
	}
}
