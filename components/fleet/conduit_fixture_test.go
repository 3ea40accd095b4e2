package fleet_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/utils/clock"

	"projection.sh/operator/components/fleet"
	"projection.sh/operator/test/env"
)

// server is a cluster at the protocol: it has a namespace kube-system and watches without end, and says who asks.
type server struct {
	*httptest.Server
	authority authority

	mu       sync.Mutex
	identity types.UID
	tokens   []string         // of requests that are neither probes nor watches, with the client's certificate
	fails    http.HandlerFunc // answers everything but probes; nil: nothing fails
	hides    http.HandlerFunc // answers probes; nil: it says who it is
	events   chan string      // sent to all watches
	asked    int              // how often it was asked who it is
}

// newServer returns a cluster that asks for a certificate of its authority, and takes any token.
func newServer(t *testing.T, authority authority, identity types.UID) *server {
	t.Helper()
	s := &server{authority: authority, identity: identity, events: make(chan string)}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	certificate, key := authority.issue(t, "server")
	pair, err := tls.X509KeyPair(certificate, key)
	require.NoError(t, err)
	clients := x509.NewCertPool()
	require.True(t, clients.AppendCertsFromPEM(authority.encoded))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: clients, ClientAuth: tls.VerifyClientCertIfGiven}
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *server) serve(w http.ResponseWriter, request *http.Request) {
	s.mu.Lock()
	fails, hides := s.fails, s.hides
	who := request.Header.Get("Authorization")
	if len(request.TLS.PeerCertificates) > 0 {
		who += " " + request.TLS.PeerCertificates[0].Subject.CommonName
	}
	s.mu.Unlock()
	isProbe := strings.HasSuffix(request.URL.Path, "/namespaces/kube-system")
	switch {
	case isProbe && hides != nil:
		hides(w, request)
	case isProbe:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked++
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"kube-system","uid":%q}}`, s.identity)
	case fails != nil:
		fails(w, request)
	case request.URL.Query().Get("watch") != "":
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		for {
			select {
			case event := <-s.events:
				_, _ = fmt.Fprint(w, event)
				w.(http.Flusher).Flush()
			case <-request.Context().Done():
				return
			}
		}
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tokens = append(s.tokens, who)
		_, _ = fmt.Fprint(w, request.URL.EscapedPath())
	}
}

func (s *server) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// probes returns how often it was asked who it is.
func (s *server) probes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// who returns who has asked.
func (s *server) who() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens
}

// access returns how to reach the server with the token, as the user that a certificate names; empty: without one.
func (s *server) access(t *testing.T, token, user string) fleet.Access {
	t.Helper()
	address, err := url.Parse(s.URL)
	require.NoError(t, err)
	access := fleet.Access{Server: address, Authorities: s.authority.encoded, Token: token}
	if user != "" {
		access.Certificate, access.Key = s.authority.issue(t, user)
	}
	return access
}

// member is a cluster behind a conduit.
type member struct {
	*fleet.Conduit

	gate         *fleet.Gate
	identity     *fleet.Identity
	unauthorized chan struct{}
}

// newMember returns a member whose gate runs. It leads nowhere yet.
func newMember(t *testing.T, timeout time.Duration) *member {
	t.Helper()
	return newMemberThatDials(t, timeout, nil)
}

// newMemberThatDials returns a member that opens its connections so; nil: as the operator does.
func newMemberThatDials(t *testing.T, timeout time.Duration, dial fleet.Dial) *member {
	t.Helper()
	m := &member{gate: fleet.NewGate(clock.RealClock{}, semaphore.NewWeighted(1)), unauthorized: make(chan struct{}, 10)}
	m.Conduit = fleet.NewConduit(fleet.Options{
		Name: "eu-1", UserAgent: "hub/1", Gate: m.gate, Clock: clock.RealClock{}, Timeout: timeout, Dial: dial,
		Check: func(ctx context.Context) error { return m.identity.Sure(ctx, 0) }, Unauthorized: func() { m.unauthorized <- struct{}{} },
	})
	client := metadata.NewForConfigOrDie(m.Config())
	m.identity = fleet.NewIdentity("", clock.RealClock{}, func(ctx context.Context) (types.UID, error) { return fleet.Ask(ctx, client) })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.gate.Run(ctx, func(ctx context.Context) error { return m.Probe(ctx) })
	}()
	t.Cleanup(func() {
		cancel()
		m.Close()
		<-ended
	})
	return m
}

// connect returns a member that is connected.
func connect(t *testing.T, access fleet.Access) *member {
	t.Helper()
	m := newMember(t, time.Minute)
	require.NoError(t, m.exchange(t, access))
	m.awaitOpen(t)
	return m
}

func (m *member) exchange(t *testing.T, access fleet.Access) error {
	t.Helper()
	return m.Exchange(t.Context(), access)
}

func (m *member) awaitOpen(t *testing.T) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		_, cause := m.gate.State()
		assert.NoError(c, cause)
	}, env.Timeout, env.Interval)
}

func (m *member) awaitClosed(t *testing.T, text string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		_, cause := m.gate.State()
		assert.ErrorContains(c, cause, text)
	}, env.Timeout, env.Interval)
}

// send sends a request to the cluster, or to a URL elsewhere.
func (m *member) send(ctx context.Context, path string) (*http.Response, error) {
	if strings.HasPrefix(path, "/") {
		path = m.Config().Host + path
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return (&http.Client{Transport: m}).Do(request)
}

// try returns the code of the answer to a request, or to a watch when it begins.
func (m *member) try(ctx context.Context, path string) (int, error) {
	response, err := m.send(ctx, path)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// get returns the answer to a request.
func (m *member) get(t *testing.T, path string) (string, error) {
	t.Helper()
	response, err := m.send(t.Context(), path)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return string(content), err
}

// stream is a watch that is open.
type stream struct {
	io.Reader
}

func (m *member) watch(t *testing.T) stream {
	t.Helper()
	response, err := m.send(t.Context(), "/api/v1/secrets?watch=true")
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(t, http.StatusOK, response.StatusCode)
	return stream{response.Body}
}

// receives asserts that an event of the server arrives.
func (w stream) receives(t *testing.T, from *server) {
	t.Helper()
	const event = "event"
	select {
	case from.events <- event:
	case <-time.After(env.Timeout):
		require.Fail(t, "nobody watches the server")
	}
	buffer := make([]byte, len(event))
	_, err := io.ReadFull(w, buffer)
	require.NoError(t, err)
	require.Equal(t, event, string(buffer))
}

// assertBroken asserts that the watch ends as if the server had ended it.
func (w stream) assertBroken(t *testing.T) {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := w.Read(make([]byte, 1))
		ended <- err
	}()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "a reflector resumes such a watch")
	case <-time.After(env.Timeout):
		require.Fail(t, "the watch goes on")
	}
}
