package source_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// heldDiscovery returns a configuration whose requests of discovery wait while the channel that it holds is open. It passes on the
// deadline of each.
func heldDiscovery(config *rest.Config, held *atomic.Pointer[chan struct{}], deadlines chan<- time.Duration) *rest.Config {
	return env.Intercept(config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if hold := held.Load(); hold != nil && (request.URL.Path == "/api" || request.URL.Path == "/apis") {
			deadline, _ := request.Context().Deadline()
			deadlines <- time.Until(deadline)
			select {
			case <-*hold:
			case <-request.Context().Done():
				return nil, request.Context().Err()
			}
		}
		return next.RoundTrip(request)
	})
}

// TestDiscoveryThatHangsDelaysOnlyThoseWhoNeedIt changes definitions while the API server does not answer.
func TestDiscoveryThatHangsDelaysOnlyThoseWhoNeedIt(t *testing.T) {
	group := newGroup()
	define(t, group, "Widget", "v1")
	var held atomic.Pointer[chan struct{}]
	deadlines := make(chan time.Duration, 10)
	resolver := newResolver(t, heldDiscovery(cluster.Config, &held, deadlines))
	affected, other := v1.SourceRef{Group: group, Kind: "Widget"}, v1.SourceRef{Kind: "ConfigMap"}
	resolves(t, resolver, affected, "v1")

	hold := make(chan struct{})
	held.Store(&hold)
	resolver.DefinitionsChanged(group)
	require.Eventually(t, func() bool { return !resolver.IsKnown(affected) }, soon, tick, "once the burst of changes is over")
	assert.True(t, resolver.IsKnown(other))
	waiting := make(chan error)
	go func() {
		_, err := resolver.Resolve(t.Context(), affected)
		waiting <- err
	}()
	limit := <-deadlines
	assert.Positive(t, limit)
	assert.LessOrEqual(t, limit, 10*time.Second, "a request ends")

	for range 100 {
		kind, err := resolver.Resolve(t.Context(), other)
		require.NoError(t, err)
		require.Equal(t, "configmaps", kind.Resource)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := resolver.Resolve(short, affected)
	require.ErrorIs(t, err, context.DeadlineExceeded, "nobody waits longer than the context")

	held.Store(nil)
	close(hold)
	require.NoError(t, <-waiting)
	assert.True(t, resolver.IsKnown(affected))
}
