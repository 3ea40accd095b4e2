package fleet

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestWatchesWaitAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, probes := runGate(t, errRefused)
		entered := make(chan error)
		wait := func(ctx context.Context) {
			go func() {
				_, err := gate.await(ctx)
				entered <- err
			}()
		}
		ctx, cancel := context.WithCancel(t.Context())
		wait(ctx)
		wait(t.Context())
		<-time.After(10 * s)
		cancel()
		require.ErrorIs(t, <-entered, context.Canceled)
		probes.find(nil)
		require.NoError(t, <-entered)
		wait(t.Context())
		require.NoError(t, <-entered, "it is open")

		probes.find(errRefused)
		gate.Close(errRefused)
		began := time.Now()
		wait(t.Context())
		err := <-entered
		assert.True(t, IsUnreachable(err), err)
		assert.Equal(t, maxWait, time.Since(began))
	})
}

func TestErrorsOfAWatchThatReflectorsResume(t *testing.T) {
	err := &resumeError{cause: &UnreachableError{Cause: errRefused}}
	assert.True(t, apierrors.IsTooManyRequests(err))
	assert.EqualValues(t, http.StatusTooManyRequests, err.Status().Code)
	assert.True(t, IsUnreachable(err))
	require.ErrorIs(t, err, errRefused)
	assert.NotContains(t, err.Error(), "refused", "client-go goes by texts, such as connection reset by peer")
}
