package fence

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heldByAnother answers everything with a lease of another holder.
type heldByAnother struct{}

func (heldByAnother) RoundTrip(*http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	_, err := recorder.WriteString(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","spec":{"holderIdentity":"another"}}`)
	return recorder.Result(), err
}

// TestLeaseElsewhereDecidesNothing has a lease in another cluster with the name of the one that decides.
func TestLeaseElsewhereDecidesNothing(t *testing.T) {
	now := time.Now()
	guard := New(leaseKey, 10*time.Second)
	guard.clock = func() time.Time { return now }
	transport := guard.Elsewhere(heldByAnother{})
	send := func(method, path string) error {
		response, err := transport.RoundTrip(httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader("{}")))
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}

	require.NoError(t, send(http.MethodPatch, copies), "it has never led")
	guard.renew(now, "me")
	require.NoError(t, send(http.MethodGet, leases))
	require.NoError(t, send(http.MethodPatch, copies), "who holds the lease there is all the same")
	now = now.Add(9 * time.Second)
	require.NoError(t, send(http.MethodPut, leases))
	now = now.Add(time.Second)
	require.ErrorIs(t, send(http.MethodPatch, copies), errNoLease, "a lease there renews nothing")
	require.ErrorIs(t, send(http.MethodPut, leases), errNoLease)
	require.NoError(t, send(http.MethodGet, copies))
	guard.renew(now, "me")
	require.NoError(t, send(http.MethodDelete, copies))
	guard.release()
	assert.ErrorIs(t, send(http.MethodDelete, copies), errNoLease)
}
