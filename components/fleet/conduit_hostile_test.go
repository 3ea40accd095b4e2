package fleet_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"projection.sh/operator/components/fleet"
	"projection.sh/operator/test/env"
)

// TestSecondConnectionIsAskedToo has a balancer that leads new connections to another cluster, while the first one finishes its watches.
func TestSecondConnectionIsAskedToo(t *testing.T) {
	authority := newAuthority(t)
	blue, green := newServer(t, authority, first), newServer(t, authority, second)
	var leads atomic.Pointer[server]
	leads.Store(blue)
	m := newMemberThatDials(t, time.Minute, func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, leads.Load().Listener.Addr().String())
	})
	require.NoError(t, m.exchange(t, blue.access(t, "token", "")))
	m.awaitOpen(t)
	watch := m.watch(t)
	watch.receives(t, blue)

	leads.Store(green)
	blue.set(func() {
		blue.fails = func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") }
	})
	_, err := m.get(t, "/last")
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the first connection learns that it gets no more
		_, err = m.get(t, "/next")
		return err != nil
	}, env.Timeout, env.Interval)
	assert.True(t, fleet.IsUnreachable(err), err)
	m.awaitClosed(t, "this is another cluster")
	watch.assertBroken(t)
	assert.Empty(t, green.who())
}

// TestTokenStaysWithItsServer has an API server that sends its clients elsewhere.
func TestTokenStaysWithItsServer(t *testing.T) {
	authority := newAuthority(t)
	server, thief := newServer(t, authority, first), newServer(t, authority, first)
	m := connect(t, server.access(t, "token", ""))
	server.set(func() {
		server.fails = func(w http.ResponseWriter, request *http.Request) {
			http.Redirect(w, request, thief.URL, http.StatusTemporaryRedirect)
		}
	})
	_, err := m.get(t, "/")
	require.ErrorContains(t, err, "not followed")
	server.set(func() {
		server.fails = func(w http.ResponseWriter, request *http.Request) { http.Redirect(w, request, "/b", http.StatusFound) }
	})
	_, err = m.get(t, "/a")
	require.ErrorContains(t, err, "not followed")
	server.set(func() { server.fails = nil })
	_, err = m.try(t.Context(), thief.URL)
	require.ErrorContains(t, err, "not followed")
	assert.Empty(t, append(server.who(), thief.who()...))
}

func TestProbeThatIsToldToWaitDoesNot(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	server.hides = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	m := newMember(t, time.Minute)
	require.NoError(t, m.exchange(t, server.access(t, "token", "")))
	m.awaitClosed(t, "unable to handle the request")
	server.set(func() { server.hides = nil })
	m.awaitOpen(t)
}

func TestAnswersHaveALimit(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	large := func(code, mebibytes int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			for range mebibytes {
				_, _ = w.Write(make([]byte, 1<<20))
			}
		}
	}
	server.hides = large(http.StatusOK, 2)
	m := newMember(t, time.Minute)
	require.NoError(t, m.exchange(t, server.access(t, "token", "")))
	m.awaitClosed(t, "too large")
	server.set(func() { server.hides = nil })
	m.gate.ProbeNow()
	m.awaitOpen(t)

	server.set(func() { server.fails = large(http.StatusBadRequest, 2) })
	_, err := m.get(t, "/")
	require.ErrorContains(t, err, "too large")
	server.set(func() { server.fails = large(http.StatusOK, 65) })
	_, err = m.get(t, "/")
	require.ErrorContains(t, err, "too large")
	server.set(func() { server.fails = large(http.StatusOK, 17) })
	_, err = m.get(t, "/")
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, m.watch(t))
	require.ErrorContains(t, err, "too large")
}

func TestEventsOfAWatchHaveALimitEach(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	m := connect(t, server.access(t, "token", ""))
	server.set(func() {
		server.fails = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 20 {
				_, _ = w.Write(append(bytes.Repeat([]byte("x"), 1<<20), '\n'))
			}
		}
	})
	_, err := io.Copy(io.Discard, m.watch(t))
	require.NoError(t, err)
}

// TestRequestAtAClosedGateIsTriedOnce has a client of Kubernetes, which repeats requests by the texts of errors.
func TestRequestAtAClosedGateIsTriedOnce(t *testing.T) {
	m := newMember(t, time.Minute)
	m.gate.Close(errors.New("read: connection reset by peer"))
	tries := 0
	config := env.Intercept(m.Config(), func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		tries++
		return next.RoundTrip(request)
	})
	_, err := kubernetes.NewForConfigOrDie(config).CoreV1().Secrets("x").Get(t.Context(), "x", metav1.GetOptions{})
	assert.True(t, fleet.IsUnreachable(err), err)
	assert.Equal(t, 1, tries)
}

func TestBodyThatDoesNotEndIsATimeout(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	m := newMember(t, 50*time.Millisecond)
	require.NoError(t, m.exchange(t, server.access(t, "token", "")))
	m.awaitOpen(t)
	server.set(func() {
		server.fails = func(w http.ResponseWriter, request *http.Request) {
			w.(http.Flusher).Flush()
			<-request.Context().Done()
		}
	})
	_, err := m.get(t, "/")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestWatchThatIsRefusedForNowMayBeResumed(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	m := connect(t, server.access(t, "token", ""))
	for code, resumes := range map[int]bool{
		http.StatusUnauthorized: true, http.StatusBadGateway: true, http.StatusServiceUnavailable: true,
		http.StatusGone: false, http.StatusForbidden: false, http.StatusGatewayTimeout: false,
	} {
		server.set(func() { server.fails = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) } })
		answered, err := m.try(t.Context(), "/api/v1/secrets?watch=true")
		assert.Equal(t, resumes, apierrors.IsTooManyRequests(err), "%d: %v", code, err)
		assert.Equal(t, resumes, answered != code)
	}
}

func TestClientsLogNoWarningsOfTheCluster(t *testing.T) {
	config := newMember(t, time.Minute).Config()
	assert.Equal(t, rest.NoWarnings{}, config.WarningHandlerWithContext)
	assert.Equal(t, "hub/1", config.UserAgent)
}

func TestIdentityIsAUID(t *testing.T) {
	server := newServer(t, newAuthority(t), "a@x,eu-1@y")
	m := newMember(t, time.Minute)
	require.NoError(t, m.exchange(t, server.access(t, "token", "")))
	m.awaitClosed(t, "has no uid")
	assert.Empty(t, m.identity.Pinned())
}
