package fleet_test

import (
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// TestNothingIsLeftOfAMember exchanges certificates while watches are open and wait.
func TestNothingIsLeftOfAMember(t *testing.T) {
	server := newServer(t, newAuthority(t), first)
	before := runtime.NumGoroutine()
	t.Run("member", func(t *testing.T) {
		m := connect(t, server.access(t, "", "user-0"))
		for range 20 {
			m.watch(t)
			require.NoError(t, m.exchange(t, server.access(t, "", "user")))
		}
		m.gate.Close(http.ErrServerClosed)
		var waiting sync.WaitGroup
		waiting.Go(func() {
			_, err := m.try(t.Context(), "/api/v1/secrets?watch=true")
			assert.NoError(t, err)
		})
		waiting.Wait()
	})
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.LessOrEqual(c, runtime.NumGoroutine(), before+1, "one looks")
	}, env.Timeout, 100*time.Millisecond)
}
