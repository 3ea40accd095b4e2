package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"projection.sh/operator/components/apierr"
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

// TestErrorsOfRequestsThatWereNotSent looks at them as clients do, which go by what an error wraps, and by texts.
func TestErrorsOfRequestsThatWereNotSent(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for _, cause := range []error{
		apierrors.NewNotFound(pods, "x"), apierrors.NewForbidden(pods, "x", nil), apierrors.NewUnauthorized("x"), apierrors.NewConflict(pods, "x", nil),
		apierrors.NewTooManyRequestsError("x"), apierrors.NewInternalError(errRefused), &IdentityError{Found: "x"}, syscall.ECONNRESET, io.EOF,
		syscall.ECONNREFUSED, errors.New("http2: client connection lost"), errors.New("read: connection reset by peer"),
		errors.New("use of closed network connection"), context.Canceled, context.DeadlineExceeded,
	} {
		for name, err := range map[string]error{
			"request": &url.Error{Op: "Get", URL: "https://x", Err: &UnreachableError{Cause: cause}},
			"watch":   &url.Error{Op: "Get", URL: "https://x", Err: &resumeError{cause: &UnreachableError{Cause: cause}}},
		} {
			says := fmt.Sprint(name, " ", cause)
			assert.Equal(t, name == "watch", apierrors.IsTooManyRequests(err), says)
			assert.False(t, apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsConflict(err), says)
			assert.False(t, apierr.IsTerminal(err), says)
			assert.False(t, utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err) || utilnet.IsTimeout(err), says)
			require.NotErrorIs(t, err, cause, says)
		}
		assert.Equal(t, cause, (&UnreachableError{Cause: cause}).Cause)
	}
}
