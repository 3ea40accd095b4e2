package remotecluster

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sync/semaphore"
	"k8s.io/utils/clock"

	"projection.sh/operator/components/fleet"
)

// TestRefusedCredentialsAreLookedForAgain has the cluster refuse what it is sent for a while.
func TestRefusedCredentialsAreLookedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changes := 0
		m := &Member{clock: clock.RealClock{}, changed: func() { changes++ }}
		says := func(want bool, later time.Duration) {
			t.Helper()
			refused, wait := m.takeRefused()
			assert.Equal(t, want, refused)
			assert.Equal(t, later, wait)
		}
		says(false, 0)
		m.noteRefused()
		m.noteRefused()
		assert.Equal(t, 1, changes, "one answer is enough")
		says(true, 0)
		says(false, 0)
		m.noteRefused()
		says(false, refusedTime)
		<-time.After(refusedTime / 2)
		says(false, refusedTime/2)
		<-time.After(refusedTime / 2)
		says(true, 0)
	})
}

// newPausing returns a member whose probes have the result, after the first one.
func newPausing(ctx context.Context, result error) *Member {
	now := clock.RealClock{}
	m := &Member{gate: fleet.NewGate(now, semaphore.NewWeighted(1)), clock: now, renewed: make(chan struct{}, 1)}
	go m.gate.Run(ctx, func(context.Context) error { return result })
	synctest.Wait()
	return m
}

func TestAccessThatDoesNotWorkIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		m := newPausing(ctx, nil)
		began := time.Now()
		assert.True(t, m.pause(ctx, true))
		assert.Equal(t, retryTime, time.Since(began))

		go func() {
			<-time.After(10 * retryTime)
			m.renewed <- struct{}{}
		}()
		began = time.Now()
		assert.True(t, m.pause(ctx, false))
		assert.Equal(t, 10*retryTime, time.Since(began), "one that works is not")
	})
}

// TestProbesTryAnAccess while no former one is in use.
func TestProbesTryAnAccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		m := newPausing(ctx, errors.New("unreachable"))
		go func() {
			<-time.After(10 * retryTime)
			cancel()
		}()
		assert.False(t, m.pause(ctx, true))
	})
}
