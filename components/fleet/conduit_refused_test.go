package fleet_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewTokenIsTriedAtOnce has the cluster refuse the former one, after which probes come with long pauses.
func TestNewTokenIsTriedAtOnce(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	m := connect(t, server.access(t, "old", ""))
	server.set(func() {
		server.hides = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }
	})
	m.gate.Close(errors.New("cut"))
	m.awaitClosed(t, "provide credentials")
	server.set(func() { server.hides = nil })
	require.NoError(t, m.exchange(t, server.access(t, "new", "")))
	m.awaitOpen(t)
}
