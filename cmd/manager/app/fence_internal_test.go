package app

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	leases = "/apis/coordination.k8s.io/v1/namespaces/system/leases/projection.sh"
	copies = "/api/v1/namespaces/here/configmaps/settings"
)

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
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			now, code := time.Now(), 0
			transport := fencedTransport{&fence{duration: 10 * time.Second, clock: func() time.Time { return now }}, answering{&code}}
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

// TestFenceCountsTheTimeThatAMachineSleeps lets the wall clock go on alone.
func TestFenceCountsTheTimeThatAMachineSleeps(t *testing.T) {
	now := time.Now()
	f := &fence{duration: time.Minute, clock: func() time.Time { return now }}
	f.renew(now)
	assert.False(t, f.closed())
	now = now.Round(0).Add(time.Hour) // without a monotonic reading, as after a sleep
	assert.True(t, f.closed())
}
