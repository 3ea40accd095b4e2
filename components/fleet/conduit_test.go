package fleet_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"projection.sh/operator/components/fleet"
)

func TestNewTokenBreaksNoWatch(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	m := connect(t, server.access(t, "old", ""))
	watch := m.watch(t)
	watch.receives(t, server)
	_, err := m.get(t, "/a")
	require.NoError(t, err)

	renewed := server.access(t, "new", "")
	probes := server.probes()
	require.NoError(t, m.exchange(t, renewed))
	assert.Equal(t, probes, server.probes(), "a token needs no probe")
	_, err = m.get(t, "/b")
	require.NoError(t, err)
	watch.receives(t, server)
	assert.Equal(t, []string{"Bearer old", "Bearer new"}, server.who())

	renewed.Token = ""
	renewed.Certificate, renewed.Key = server.authority.issue(t, "admin")
	require.NoError(t, m.exchange(t, renewed))
	_, err = m.get(t, "/c")
	require.NoError(t, err)
	assert.Equal(t, " admin", server.who()[2], "the certificate alone")
}

func TestNewCertificateClosesTheOldConnections(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	m := connect(t, server.access(t, "", "old"))
	watch := m.watch(t)
	watch.receives(t, server)
	_, err := m.get(t, "/a")
	require.NoError(t, err)

	require.NoError(t, m.exchange(t, server.access(t, "", "new")))
	watch.assertBroken(t)
	_, err = m.get(t, "/b")
	require.NoError(t, err)
	m.watch(t).receives(t, server)
	assert.Equal(t, []string{" old", " new"}, server.who())
	_, cause := m.gate.State()
	require.NoError(t, cause, "it was open all the time")
}

func TestAccessThatDoesNotWorkIsNotUsed(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	good := server.access(t, "token", "")
	m := connect(t, good)
	watch := m.watch(t)
	elsewhere := good
	elsewhere.Server = &url.URL{Scheme: "https", Host: closedAddress(t)}
	another, half := good, good
	another.Authorities = newAuthority(t).encoded
	half.Key = []byte("x")
	for _, bad := range []fleet.Access{elsewhere, another, half} {
		require.Error(t, m.exchange(t, bad))
		watch.receives(t, server)
		_, err := m.get(t, "/")
		require.NoError(t, err)
	}
}

// TestRequestsFinishOnFormerConnections has a slow one under way while the certificate is exchanged.
func TestRequestsFinishOnFormerConnections(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	m := connect(t, server.access(t, "", "old"))
	arrived, answer := make(chan struct{}), make(chan struct{})
	server.set(func() {
		server.fails = func(http.ResponseWriter, *http.Request) {
			arrived <- struct{}{}
			<-answer
		}
	})
	ended := make(chan error)
	for range 5 {
		go func() {
			_, err := m.try(t.Context(), "/")
			ended <- err
		}()
		<-arrived
	}
	require.NoError(t, m.exchange(t, server.access(t, "", "new")))
	close(answer)
	for range 5 {
		require.NoError(t, <-ended)
	}
}

// TestAccessIsNotForgotten declares another access while the cluster cannot be reached.
func TestAccessIsNotForgotten(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	wrong := server.access(t, "token", "")
	wrong.Server = &url.URL{Scheme: "https", Host: closedAddress(t)}
	m := newMember(t, time.Minute)
	require.NoError(t, m.exchange(t, wrong))
	m.awaitClosed(t, "refused")
	server.set(func() { server.hides = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) } })
	require.NoError(t, m.exchange(t, server.access(t, "token", "")))
	m.awaitClosed(t, "INTERNAL_ERROR")
	server.set(func() { server.hides = nil })
	m.awaitOpen(t)
	_, err := m.get(t, "/")
	require.NoError(t, err)
}

func closedAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	return address
}

func TestNewAddressOfTheSameClusterIsTaken(t *testing.T) {
	authority := newAuthority(t)
	former, moved := newServer(t, authority, first), newServer(t, authority, first)
	m := connect(t, former.access(t, "token", ""))
	watch := m.watch(t)
	require.NoError(t, m.exchange(t, moved.access(t, "token", "")))
	watch.assertBroken(t)
	_, err := m.get(t, "/")
	require.NoError(t, err)
	assert.Empty(t, former.who())
	assert.Len(t, moved.who(), 1)
}

// TestAddressOfAnotherClusterGetsNothing declares another cluster, and then the former one again.
func TestAddressOfAnotherClusterGetsNothing(t *testing.T) {
	authority := newAuthority(t)
	former, other := newServer(t, authority, first), newServer(t, authority, second)
	m := connect(t, former.access(t, "token", ""))
	watch := m.watch(t)
	var changed *fleet.IdentityError
	var unreachable *fleet.UnreachableError
	require.ErrorAs(t, m.exchange(t, other.access(t, "token", "")), &changed)
	watch.assertBroken(t) // what is declared is not the former cluster
	_, err := m.get(t, "/")
	require.ErrorAs(t, err, &unreachable)
	require.ErrorAs(t, unreachable.Cause, &changed)
	assert.Empty(t, append(former.who(), other.who()...))

	m.identity.Pin(second)
	m.gate.ProbeNow()
	m.awaitOpen(t)
	_, err = m.get(t, "/")
	require.NoError(t, err)
	assert.Len(t, other.who(), 1)
}

// TestEachFirstConnectionIsProven replaces a cluster by another one at the same address, which has the same certificate.
func TestEachFirstConnectionIsProven(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	m := connect(t, server.access(t, "token", ""))
	server.set(func() { server.identity = second })
	_, err := m.get(t, "/")
	require.NoError(t, err, "the connection leads to where it has led")

	server.CloseClientConnections()
	m.awaitClosed(t, "this is another cluster")
	for range 5 {
		_, err := m.get(t, "/")
		assert.True(t, fleet.IsUnreachable(err), err)
	}
	assert.Len(t, server.who(), 1)
}

func TestNothingIsSentToAClusterThatWasNotReached(t *testing.T) {
	m := newMember(t, time.Minute)
	_, err := m.get(t, "/")
	assert.True(t, fleet.IsUnreachable(err), err)
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan error)
	go func() {
		_, err := m.try(ctx, "/api/v1/secrets?watch=1")
		opened <- err
	}()
	cancel()
	require.ErrorIs(t, <-opened, context.Canceled)

	server := newServer(t, newAuthority(t), first)
	begun := make(chan struct{})
	go func() {
		close(begun)
		_, err := m.try(t.Context(), "/api/v1/secrets?watch=1")
		opened <- err
	}()
	<-begun
	require.NoError(t, m.exchange(t, server.access(t, "token", "")))
	require.NoError(t, <-opened, "the watch has waited for the cluster")
}

func TestRequestsThatFailCloseTheGate(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	m := newMember(t, 50*time.Millisecond)
	require.NoError(t, m.exchange(t, server.access(t, "token", "")))
	m.awaitOpen(t)
	since, _ := m.gate.State()
	server.set(func() {
		server.fails = func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() }
	})

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 5 {
		_, err := m.try(ctx, "/")
		require.ErrorIs(t, err, context.Canceled, "whose sender gave up says nothing")
	}
	now, _ := m.gate.State()
	assert.Equal(t, since, now)
	for range 3 {
		_, err := m.get(t, "/")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	m.awaitOpen(t) // the probe is answered
	now, _ = m.gate.State()
	assert.NotEqual(t, since, now, "it was closed")
}

func TestAnswersOfTheServerDoNotCloseTheGate(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	m := connect(t, server.access(t, "token", ""))
	since, _ := m.gate.State()
	for _, code := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		server.set(func() { server.fails = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) } })
		for range 4 {
			answered, err := m.try(t.Context(), "/")
			require.NoError(t, err)
			assert.Equal(t, code, answered)
		}
	}
	now, _ := m.gate.State()
	assert.Equal(t, since, now)
	assert.Len(t, m.unauthorized, 4)
}

func TestPathsAreBelowThatOfTheServer(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	access := server.access(t, "token", "")
	for prefix, want := range map[string]string{"": "/api/x%2Fy", "/": "/api/x%2Fy", "/k8s/c-1/": "/k8s/c-1/api/x%2Fy", "/k8s/c%2F1": "/k8s/c%2F1/api/x%2Fy"} {
		server, err := url.Parse(server.URL + prefix)
		require.NoError(t, err)
		access.Server = server
		answer, err := connect(t, access).get(t, "/api/x%2Fy")
		require.NoError(t, err)
		assert.Equal(t, want, answer)
	}
}

// TestWatchThatCannotBeOpenedMayBeResumed cuts the cluster off for good.
func TestWatchThatCannotBeOpenedMayBeResumed(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	m := connect(t, server.access(t, "token", ""))
	server.set(func() {
		server.fails = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	})
	_, err := m.try(t.Context(), "/api/v1/secrets?watch=true")
	assert.True(t, apierrors.IsTooManyRequests(err), err)
	_, err = m.try(t.Context(), "/api/v1/secrets")
	require.Error(t, err)
	assert.False(t, apierrors.IsTooManyRequests(err), err)
}
