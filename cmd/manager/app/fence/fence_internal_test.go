package fence

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	leases = "/apis/coordination.k8s.io/v1/namespaces/system/leases/projection.sh"
	copies = "/api/v1/namespaces/here/configmaps/settings"
)

var leaseKey = types.NamespacedName{Namespace: "system", Name: "projection.sh"}

// answering is an API server that answers everything with the code.
type answering struct{ code *int }

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: *a.code, Body: http.NoBody}, nil
}

func TestFence(t *testing.T) {
	type step struct {
		wait    time.Duration
		method  string
		path    string
		code    int
		refused bool
	}
	tests := map[string][]step{
		"one that never led reviews tokens": {
			{0, http.MethodPost, "/apis/authentication.k8s.io/v1/tokenreviews", http.StatusCreated, false},
		},
		"a leader writes": {
			{0, http.MethodPut, leases, http.StatusOK, false},
			{9 * time.Second, http.MethodPatch, copies, http.StatusOK, false},
		},
		"a leader whose lease has run out does not write": {
			{0, http.MethodPut, leases, http.StatusOK, false},
			{10 * time.Second, http.MethodPatch, copies, http.StatusOK, true},
			{0, http.MethodDelete, copies, http.StatusOK, true},
			{0, http.MethodGet, copies, http.StatusOK, false},
		},
		"a renewal opens the fence": {
			{0, http.MethodPut, leases, http.StatusOK, false},
			{20 * time.Second, http.MethodPut, leases, http.StatusOK, false},
			{9 * time.Second, http.MethodPatch, copies, http.StatusOK, false},
		},
		"a renewal that fails does not": {
			{0, http.MethodPut, leases, http.StatusOK, false},
			{9 * time.Second, http.MethodPut, leases, http.StatusConflict, false},
			{time.Second, http.MethodPatch, copies, http.StatusOK, true},
		},
		"a copy that is a lease is a copy": {
			{0, http.MethodPut, leases, http.StatusOK, false},
			{10 * time.Second, http.MethodPatch, "/apis/coordination.k8s.io/v1/namespaces/here/leases/settings", http.StatusOK, true},
			{0, http.MethodDelete, "/apis/coordination.k8s.io/v1/namespaces/here/leases/settings", http.StatusOK, true},
			{0, http.MethodPatch, leases, http.StatusOK, true},
			{0, http.MethodPatch, copies, http.StatusOK, true},
		},
		"another lease renews nothing": {
			{0, http.MethodPut, leases, http.StatusOK, false},
			{10 * time.Second, http.MethodPut, leases + "-1234", http.StatusOK, true},
			{0, http.MethodPut, strings.Replace(leases, "system", "here", 1), http.StatusOK, true},
			{0, http.MethodPost, "/apis/coordination.k8s.io/v1/namespaces/here/leases", http.StatusCreated, true},
		},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			now, code := time.Now(), 0
			transport := fencedTransport{&Fence{lease: leaseKey, duration: 10 * time.Second, clock: func() time.Time { return now }}, answering{&code}}
			for i, step := range steps {
				now, code = now.Add(step.wait), step.code
				response, err := transport.RoundTrip(httptest.NewRequestWithContext(t.Context(), step.method, step.path, http.NoBody))
				if step.refused {
					require.ErrorIs(t, err, errNoLease, "step %d", i)
					continue
				}
				require.NoError(t, err, "step %d", i)
				assert.NoError(t, response.Body.Close())
			}
		})
	}
}

// TestConnectionEndsRatherThanWriteTooLate holds what the transport has let pass.
func TestConnectionEndsRatherThanWriteTooLate(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	now := time.Now()
	guard := &Fence{duration: time.Minute, clock: func() time.Time { return now }}
	connection, err := guard.Dialer(nil)(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	write := func() error {
		_, err := io.WriteString(connection, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		return err
	}

	require.NoError(t, write(), "one that never led")
	guard.renew(now, "me")
	require.NoError(t, write(), "a leader")
	guard.release()
	require.NoError(t, write(), "a leader that gives up the lease")
	now = now.Add(time.Minute)
	require.ErrorIs(t, write(), errNoLease)
	now = now.Add(-time.Minute)
	require.ErrorIs(t, write(), net.ErrClosed)
}

// TestLateRenewalIsSent renews a lease that has run out: nobody else may want to lead.
func TestLateRenewalIsSent(t *testing.T) {
	renewals := 0
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		if request.Method == http.MethodPut {
			renewals++
		}
	}))
	defer server.Close()
	work, election := New(leaseKey, time.Nanosecond).Configs(&rest.Config{Host: server.URL})
	send := func(config *rest.Config, method, path string) error {
		client, err := rest.HTTPClientFor(config)
		require.NoError(t, err)
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, http.NoBody)
		require.NoError(t, err)
		response, err := client.Do(request)
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}
	require.NoError(t, send(work, http.MethodGet, copies), "it has never led")
	require.NoError(t, send(election, http.MethodPut, leases))
	require.Error(t, send(work, http.MethodGet, copies))
	require.NoError(t, send(election, http.MethodPut, leases))
	assert.Equal(t, 2, renewals)
}

// TestFenceCountsTheTimeThatAMachineSleeps lets the wall clock go on alone.
func TestFenceCountsTheTimeThatAMachineSleeps(t *testing.T) {
	now := time.Now()
	f := &Fence{duration: time.Minute, clock: func() time.Time { return now }}
	f.renew(now, "me")
	assert.False(t, f.closed())
	now = now.Round(0).Add(time.Hour) // without a monotonic reading, as after a sleep
	assert.True(t, f.closed())
}

// TestFenceKnowsTheElection elects by the client that the manager elects by.
func TestFenceKnowsTheElection(t *testing.T) {
	answers := http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(writer, `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"projection.sh"}}`)
	})
	held := resourcelock.LeaderElectionRecord{HolderIdentity: "me"}
	tests := map[string]func(resourcelock.Interface) error{
		"created": func(lock resourcelock.Interface) error { return lock.Create(t.Context(), held) },
		"renewed": func(lock resourcelock.Interface) error {
			_, _, err := lock.Get(t.Context())
			return errors.Join(err, lock.Update(t.Context(), held))
		},
	}
	for name, lead := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answers)
			defer server.Close()
			work, election := New(leaseKey, time.Hour).Configs(&rest.Config{Host: server.URL + "/behind/a/path"})
			kube, err := kubernetes.NewForConfig(work)
			require.NoError(t, err)
			elected, err := kubernetes.NewForConfig(election)
			require.NoError(t, err)
			lock, err := resourcelock.New(resourcelock.LeasesResourceLock, leaseKey.Namespace, leaseKey.Name,
				elected.CoreV1(), elected.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: "me"})
			require.NoError(t, err)
			remove := func() error {
				return kube.CoreV1().ConfigMaps("here").Delete(t.Context(), "settings", metav1.DeleteOptions{})
			}

			require.NoError(t, lead(lock))
			require.NoError(t, remove(), "the lease is held")
			require.NoError(t, lock.Update(t.Context(), resourcelock.LeaderElectionRecord{LeaseDurationSeconds: 1}))
			require.ErrorIs(t, remove(), errNoLease, "the lease is given up, and whoever is still at work is late")
		})
	}
}

// TestFenceSeesWhoHoldsTheLease reads the lease by the client that the manager elects by.
func TestFenceSeesWhoHoldsTheLease(t *testing.T) {
	tests := map[string]struct {
		led     bool
		holder  string
		refused bool
	}{
		"still this process":       {led: true, holder: `"me"`},
		"another process":          {led: true, holder: `"you"`, refused: true},
		"nobody":                   {led: true, holder: `""`},
		"nobody, not even by \"\"": {led: true, holder: `null`},
		"another process leads and this one has never led": {holder: `"you"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			holder := `"me"`
			server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
				writer.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(writer, `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"projection.sh"},"spec":{"holderIdentity":`+holder+`}}`)
			}))
			defer server.Close()
			work, election := New(leaseKey, time.Hour).Configs(&rest.Config{Host: server.URL})
			kube, err := kubernetes.NewForConfig(work)
			require.NoError(t, err)
			elected, err := kubernetes.NewForConfig(election)
			require.NoError(t, err)
			lock, err := resourcelock.New(resourcelock.LeasesResourceLock, leaseKey.Namespace, leaseKey.Name,
				elected.CoreV1(), elected.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: "me"})
			require.NoError(t, err)
			remove := func() error {
				return kube.CoreV1().ConfigMaps("here").Delete(t.Context(), "settings", metav1.DeleteOptions{})
			}

			if test.led {
				require.NoError(t, lock.Create(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "me"}))
			}
			holder = test.holder
			record, _, err := lock.Get(t.Context())
			require.NoError(t, err)
			assert.Equal(t, strings.Trim(strings.ReplaceAll(holder, "null", ""), `"`), record.HolderIdentity, "the answer is passed on")
			if !test.refused {
				require.NoError(t, remove())
				return
			}
			require.ErrorIs(t, remove(), errNoLease)
			require.NoError(t, lock.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "me"}))
			require.NoError(t, remove(), "this process leads again")
		})
	}
}
